/** RocketMQ servers. */
@NullMarked
package io.dedup.testservers.rocketmq;

import org.jspecify.annotations.NullMarked;

/** A RocketMQ whose master is killed and whose slave becomes the master. */
@NullMarked
package io.dedup.failover.rocketmq;

import org.jspecify.annotations.NullMarked;

/** Replays of RocketMQ topics. Needs {@code rocketmq-client-java}. */
@NullMarked
package io.dedup.testkit.rocketmq;

import org.jspecify.annotations.NullMarked;

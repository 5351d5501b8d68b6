/**
 * Replays of RocketMQ topics. Needs {@code rocketmq-client-java}.
 *
 * <p>Status: stable.
 *
 * @since 0.1.0
 */
@NullMarked
package io.dedup.testkit.rocketmq;

import org.jspecify.annotations.NullMarked;

/**
 * Idempotent RocketMQ consumers, on the older client, which talks to name server and brokers itself.
 *
 * <p>Status: stable.
 *
 * @since 0.1.0
 */
@NullMarked
package io.dedup.rocketmq.remoting;

import org.jspecify.annotations.NullMarked;

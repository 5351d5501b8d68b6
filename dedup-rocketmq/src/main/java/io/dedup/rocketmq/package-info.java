/**
 * Idempotent RocketMQ consumers, on the gRPC client of version 5.
 *
 * <p>Status: stable.
 *
 * @since 0.1.0
 */
@NullMarked
package io.dedup.rocketmq;

import org.jspecify.annotations.NullMarked;

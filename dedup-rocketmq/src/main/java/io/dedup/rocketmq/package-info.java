/** Idempotent RocketMQ consumers, on the gRPC client of version 5. */
@NullMarked
package io.dedup.rocketmq;

import org.jspecify.annotations.NullMarked;

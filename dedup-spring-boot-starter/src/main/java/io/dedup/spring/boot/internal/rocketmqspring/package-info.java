/** Deduplicates the listeners of rocketmq-spring, which uses RocketMQ's older client. */
@NullMarked
package io.dedup.spring.boot.internal.rocketmqspring;

import org.jspecify.annotations.NullMarked;

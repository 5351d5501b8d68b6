/** Deduplicates RocketMQ message listener beans. */
@NullMarked
package io.dedup.spring.boot.internal.rocketmq;

import org.jspecify.annotations.NullMarked;

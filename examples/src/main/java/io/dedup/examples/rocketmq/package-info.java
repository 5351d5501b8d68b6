/** Payments over RocketMQ, with their records in the same database. */
@NullMarked
package io.dedup.examples.rocketmq;

import org.jspecify.annotations.NullMarked;

/** Payments over RocketMQ, their records in the database that they are in. */
@NullMarked
package io.dedup.examples.rocketmq;

import org.jspecify.annotations.NullMarked;

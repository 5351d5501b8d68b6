/** Rows of RocketMQ in the fault ledger: what happens to messages with both of its clients when things break. */
@NullMarked
package io.dedup.ledger.rocketmq;

import org.jspecify.annotations.NullMarked;

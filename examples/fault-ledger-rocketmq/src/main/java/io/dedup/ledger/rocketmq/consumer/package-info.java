/** The consumer process: each row's consumer, set up as a user would do it. */
@NullMarked
package io.dedup.ledger.rocketmq.consumer;

import org.jspecify.annotations.NullMarked;

/** What is measured: rows, the circumstances that a seed gives them, messages and faults. */
@NullMarked
package io.dedup.ledger.rocketmq.plan;

import org.jspecify.annotations.NullMarked;

/** The ledger as a whole. */
@NullMarked
package io.dedup.ledger.rocketmq;

import org.jspecify.annotations.NullMarked;

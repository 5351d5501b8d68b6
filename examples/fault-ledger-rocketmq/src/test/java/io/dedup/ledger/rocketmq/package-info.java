/** Tests of the whole ledger. */
@NullMarked
package io.dedup.ledger.rocketmq;

import org.jspecify.annotations.NullMarked;

/** Tests of what a seed decides. */
@NullMarked
package io.dedup.ledger.rocketmq.plan;

import org.jspecify.annotations.NullMarked;

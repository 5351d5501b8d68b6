/** One pass over some rows: servers, consumer processes, faults, and what is counted outside of them. */
@NullMarked
package io.dedup.ledger.rocketmq.run;

import org.jspecify.annotations.NullMarked;

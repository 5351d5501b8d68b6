/** Counts what happened to the messages of a row, from what was sent, what took effect and what was acknowledged. */
@NullMarked
package io.dedup.ledger.tally;

import org.jspecify.annotations.NullMarked;

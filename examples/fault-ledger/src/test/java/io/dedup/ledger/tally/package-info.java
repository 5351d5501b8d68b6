/** Tests of the tally. */
@NullMarked
package io.dedup.ledger.tally;

import org.jspecify.annotations.NullMarked;

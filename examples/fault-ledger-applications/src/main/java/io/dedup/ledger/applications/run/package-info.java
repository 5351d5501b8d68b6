/** One pass over a row: its broker, its store, its consumer processes, faults, and what is counted outside of them. */
@NullMarked
package io.dedup.ledger.applications.run;

import org.jspecify.annotations.NullMarked;

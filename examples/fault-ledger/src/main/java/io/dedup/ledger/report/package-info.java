/** The ledger on paper. */
@NullMarked
package io.dedup.ledger.report;

import org.jspecify.annotations.NullMarked;

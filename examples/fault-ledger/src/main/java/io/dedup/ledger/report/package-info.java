/** Writes the ledger down: tables, charts, CSV and JSON. */
@NullMarked
package io.dedup.ledger.report;

import org.jspecify.annotations.NullMarked;

/** Writes the ledger: tables, charts, CSV and JSON. */
@NullMarked
package io.dedup.ledger.report;

import org.jspecify.annotations.NullMarked;

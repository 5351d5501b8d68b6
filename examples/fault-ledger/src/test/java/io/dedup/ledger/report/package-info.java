/** Tests of the reports. */
@NullMarked
package io.dedup.ledger.report;

import org.jspecify.annotations.NullMarked;

/** Tests of the whole ledger. */
@NullMarked
package io.dedup.ledger.applications;

import org.jspecify.annotations.NullMarked;

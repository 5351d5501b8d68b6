/** The short form of the ledger, and its rules. */
@NullMarked
package io.dedup.ledger;

import org.jspecify.annotations.NullMarked;

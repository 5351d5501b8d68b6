/** Tests of the ledger, and its short form. */
@NullMarked
package io.dedup.ledger;

import org.jspecify.annotations.NullMarked;

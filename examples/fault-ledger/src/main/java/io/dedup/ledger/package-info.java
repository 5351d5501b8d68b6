/** The fault ledger: who loses, doubles and gets stuck, when things break. */
@NullMarked
package io.dedup.ledger;

import org.jspecify.annotations.NullMarked;

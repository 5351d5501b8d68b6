/** The fault ledger: counts messages that are lost, doubled or stuck when things break. */
@NullMarked
package io.dedup.ledger;

import org.jspecify.annotations.NullMarked;

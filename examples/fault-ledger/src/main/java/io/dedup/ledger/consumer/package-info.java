/** The process that is killed: a listener for each row. */
@NullMarked
package io.dedup.ledger.consumer;

import org.jspecify.annotations.NullMarked;

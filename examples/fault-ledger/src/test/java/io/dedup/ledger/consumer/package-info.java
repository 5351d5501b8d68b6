/** Tests of what a consumer process is told. */
@NullMarked
package io.dedup.ledger.consumer;

import org.jspecify.annotations.NullMarked;

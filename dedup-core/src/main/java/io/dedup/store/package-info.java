/**
 * The SPI that a dedup store implements: the two-phase record and its atomic transitions.
 *
 * <p>A store is proven by the contract in {@code dedup-testkit}.
 */
@NullMarked
package io.dedup.store;

import org.jspecify.annotations.NullMarked;

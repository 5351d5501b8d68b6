/**
 * The SPI for dedup stores: records and their atomic transitions.
 *
 * <p>To test a store, run the contract in {@code dedup-testkit}.
 *
 * <p>Status: stable.
 *
 * @since 0.1.0
 */
@NullMarked
package io.dedup.store;

import org.jspecify.annotations.NullMarked;

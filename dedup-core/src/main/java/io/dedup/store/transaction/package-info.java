/**
 * The SPI for stores that keep their records in business transactions.
 *
 * <p>Status: stable.
 *
 * @since 0.1.0
 */
@NullMarked
package io.dedup.store.transaction;

import org.jspecify.annotations.NullMarked;

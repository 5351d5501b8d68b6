/** The SPI of a store that keeps its records in business transactions. */
@NullMarked
package io.dedup.store.transaction;

import org.jspecify.annotations.NullMarked;

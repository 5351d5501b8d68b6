/** The SPI for stores that keep their records in business transactions. */
@NullMarked
package io.dedup.store.transaction;

import org.jspecify.annotations.NullMarked;

/** Opens the stores of records, and explains why one cannot be opened. */
@NullMarked
package io.dedup.spring.boot.internal.store;

import org.jspecify.annotations.NullMarked;

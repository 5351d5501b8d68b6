/** What an exception of the database means for the store, and how the store reports it. */
@NullMarked
package io.dedup.store.jdbc.internal.failure;

import org.jspecify.annotations.NullMarked;

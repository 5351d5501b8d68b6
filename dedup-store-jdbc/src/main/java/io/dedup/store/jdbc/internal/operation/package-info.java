/** Runs the operations of the store on a dialect, with an answer for each request. */
@NullMarked
package io.dedup.store.jdbc.internal.operation;

import org.jspecify.annotations.NullMarked;

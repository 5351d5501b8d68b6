/** Calls of the store that never throw, gates that limit calls to a failing store, and calls that threads share. Not API. */
@NullMarked
package io.dedup.internal.storecall;

import org.jspecify.annotations.NullMarked;

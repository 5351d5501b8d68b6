/** Calls of the store that never throw, and gates that limit calls to a failing store. Not API. */
@NullMarked
package io.dedup.internal.storecall;

import org.jspecify.annotations.NullMarked;

/** Calls of the store that never throw, and gates that spare a store that fails. Not API. */
@NullMarked
package io.dedup.internal.storecall;

import org.jspecify.annotations.NullMarked;

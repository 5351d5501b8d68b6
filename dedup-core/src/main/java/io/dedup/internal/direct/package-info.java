/** Runs handlers that callers hand over directly. Not API. */
@NullMarked
package io.dedup.internal.direct;

import org.jspecify.annotations.NullMarked;

/** Runs handlers that callers pass in directly. Not API. */
@NullMarked
package io.dedup.internal.direct;

import org.jspecify.annotations.NullMarked;

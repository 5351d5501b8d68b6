/** Successes and releases that the store has not recorded yet, and the thread that retries them. Not API. */
@NullMarked
package io.dedup.internal.background;

import org.jspecify.annotations.NullMarked;

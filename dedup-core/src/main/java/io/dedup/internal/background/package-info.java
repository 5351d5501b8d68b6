/** Successes and releases that the store has not recorded yet, and the thread that goes on trying. Not API. */
@NullMarked
package io.dedup.internal.background;

import org.jspecify.annotations.NullMarked;

/** Runs of handlers in business transactions. Not API. */
@NullMarked
package io.dedup.internal.transaction;

import org.jspecify.annotations.NullMarked;

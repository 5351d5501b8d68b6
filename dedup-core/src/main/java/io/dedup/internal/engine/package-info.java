/** Puts the parts together: the engine behind a deduplicator and behind an adapter. Not API. */
@NullMarked
package io.dedup.internal.engine;

import org.jspecify.annotations.NullMarked;

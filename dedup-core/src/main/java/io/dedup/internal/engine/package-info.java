/** The engine behind a deduplicator and its adapter API, assembled from its parts. Not API. */
@NullMarked
package io.dedup.internal.engine;

import org.jspecify.annotations.NullMarked;

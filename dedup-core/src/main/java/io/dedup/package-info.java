/** The API for applications: {@link io.dedup.Deduplicator}, its calls and their outcomes. */
@NullMarked
package io.dedup;

import org.jspecify.annotations.NullMarked;

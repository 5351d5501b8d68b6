/**
 * The API for applications: {@link io.dedup.Deduplicator}, its calls and their outcomes.
 *
 * <p>Status: stable.
 *
 * @since 0.1.0
 */
@NullMarked
package io.dedup;

import org.jspecify.annotations.NullMarked;

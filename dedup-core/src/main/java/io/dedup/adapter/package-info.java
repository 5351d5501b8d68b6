/**
 * The API for broker adapters: claim a delivery, run its handler, settle the run.
 *
 * <p>Applications use {@link io.dedup.Deduplicator} or a broker module instead.
 *
 * <p>Status: experimental; it may change in any minor release.
 *
 * @since 0.1.0
 */
@NullMarked
package io.dedup.adapter;

import org.jspecify.annotations.NullMarked;

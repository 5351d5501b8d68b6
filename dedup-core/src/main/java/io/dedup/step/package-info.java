/**
 * Named steps of a handler: how their results are encoded, kept and reported; see {@code io.dedup.DedupContext#step}.
 *
 * <p>Status: stable.
 *
 * @since 0.1.0
 */
@NullMarked
package io.dedup.step;

import org.jspecify.annotations.NullMarked;

/**
 * The steps of a delivery, for those who adapt a broker: admit, run, close out.
 *
 * <p>Applications use {@link io.dedup.Deduplicator} or a broker module instead.
 */
@NullMarked
package io.dedup.engine;

import org.jspecify.annotations.NullMarked;

/**
 * Creates and closes deduplicators.
 *
 * <p>Status: stable.
 *
 * @since 0.1.0
 */
@NullMarked
package io.dedup.engine;

import org.jspecify.annotations.NullMarked;

/**
 * What was handled before dedup was introduced, and the report of its import.
 *
 * <p>Status: experimental; it may change in any minor release.
 *
 * @since 0.1.0
 */
@NullMarked
package io.dedup.migration;

import org.jspecify.annotations.NullMarked;

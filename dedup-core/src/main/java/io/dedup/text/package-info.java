/**
 * Helpers for text: safe log output, UTF-8 lengths and hashes, and causes of failures.
 *
 * <p>Status: experimental; it may change in any minor release.
 *
 * @since 0.1.0
 */
@NullMarked
package io.dedup.text;

import org.jspecify.annotations.NullMarked;

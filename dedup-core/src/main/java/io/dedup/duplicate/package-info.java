/**
 * Why a message is a duplicate: where it was handled first, and where the broker had its copy.
 *
 * <p>Status: experimental; it may change in any minor release.
 *
 * @since 0.1.0
 */
@NullMarked
package io.dedup.duplicate;

import org.jspecify.annotations.NullMarked;

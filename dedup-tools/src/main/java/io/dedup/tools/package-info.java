/**
 * Commands for operators.
 *
 * <p>Status: experimental; it may change in any minor release.
 *
 * @since 0.1.0
 */
@NullMarked
package io.dedup.tools;

import org.jspecify.annotations.NullMarked;

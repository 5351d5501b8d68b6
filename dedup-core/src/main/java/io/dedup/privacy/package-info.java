/**
 * Protects personal data that a dedup store keeps: hashed message IDs, encrypted results, and what an erasure has deleted.
 *
 * <p>Status: stable.
 *
 * @since 0.1.0
 */
@NullMarked
package io.dedup.privacy;

import org.jspecify.annotations.NullMarked;

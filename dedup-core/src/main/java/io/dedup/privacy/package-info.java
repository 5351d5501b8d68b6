/** Protects personal data that a dedup store keeps: hashed message IDs, encrypted results, and what an erasure has deleted. */
@NullMarked
package io.dedup.privacy;

import org.jspecify.annotations.NullMarked;

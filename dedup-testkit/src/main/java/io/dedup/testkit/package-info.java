/**
 * The contract that every dedup store passes: one test class of the store extends {@link
 * io.dedup.testkit.DedupStoreContract}.
 *
 * <p>Status: stable.
 *
 * @since 0.1.0
 */
@NullMarked
package io.dedup.testkit;

import org.jspecify.annotations.NullMarked;

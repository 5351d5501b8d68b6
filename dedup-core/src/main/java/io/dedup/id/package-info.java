/**
 * Extracts business message IDs from messages. Extracting them from JSON needs {@code tools.jackson.core:jackson-core},
 * an optional dependency.
 *
 * <p>Status: stable.
 *
 * @since 0.1.0
 */
@NullMarked
package io.dedup.id;

import org.jspecify.annotations.NullMarked;

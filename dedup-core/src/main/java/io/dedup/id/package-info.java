/**
 * Finds business message IDs in messages. Reading them out of JSON needs {@code tools.jackson.core:jackson-core}, an
 * optional dependency.
 */
@NullMarked
package io.dedup.id;

import org.jspecify.annotations.NullMarked;

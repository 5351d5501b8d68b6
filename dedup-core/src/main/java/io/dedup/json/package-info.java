/** Message IDs out of JSON; needs {@code tools.jackson.core:jackson-core}, an optional dependency. */
@NullMarked
package io.dedup.json;

import org.jspecify.annotations.NullMarked;

/** What users call: {@link io.dedup.Deduplicator}, its policies and what it answers. */
@NullMarked
package io.dedup;

import org.jspecify.annotations.NullMarked;

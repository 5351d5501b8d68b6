/** Stand-ins that record or change what passes between a deduplicator and what surrounds it. */
@NullMarked
package io.dedup.doubles;

import org.jspecify.annotations.NullMarked;

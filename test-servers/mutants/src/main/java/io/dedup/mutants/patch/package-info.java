/** Mutants as they are written down: a head in plain words, and a patch of the sources. */
@NullMarked
package io.dedup.mutants.patch;

import org.jspecify.annotations.NullMarked;

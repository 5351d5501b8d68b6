/** Hostile input for every module's fuzzers, made from a seed. */
@NullMarked
package io.dedup.fuzz;

import org.jspecify.annotations.NullMarked;

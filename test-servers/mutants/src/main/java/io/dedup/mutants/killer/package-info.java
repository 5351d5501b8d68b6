/** The program of a test's JVM: calls tests by their names and writes down how they ended. */
@NullMarked
package io.dedup.mutants.killer;

import org.jspecify.annotations.NullMarked;

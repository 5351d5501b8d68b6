/** What runs in a test's JVM: it calls tests by their names and writes down how they ended. */
@NullMarked
package io.dedup.mutants.killer;

import org.jspecify.annotations.NullMarked;

/** Compiles mutants beside the classes that Maven has built, and runs tests against them in other JVMs. */
@NullMarked
package io.dedup.mutants.run;

import org.jspecify.annotations.NullMarked;

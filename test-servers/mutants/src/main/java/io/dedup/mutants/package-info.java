/** Plants known mistakes into the framework, one at a time, and runs the test that has to find each of them. */
@NullMarked
package io.dedup.mutants;

import org.jspecify.annotations.NullMarked;

/** Plants known mistakes into the framework, one at a time, and runs the test that is to find each. */
@NullMarked
package io.dedup.mutants;

import org.jspecify.annotations.NullMarked;

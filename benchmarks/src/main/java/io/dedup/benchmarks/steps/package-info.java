/** What a step of a handler costs, beside what one writes by hand for the same promise. */
@NullMarked
package io.dedup.benchmarks.steps;

import org.jspecify.annotations.NullMarked;

/** What dedup costs an application that has nothing to do. */
@NullMarked
package io.dedup.benchmarks.idle;

import org.jspecify.annotations.NullMarked;

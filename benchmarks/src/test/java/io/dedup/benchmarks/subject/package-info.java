@NullMarked
package io.dedup.benchmarks.subject;

import org.jspecify.annotations.NullMarked;

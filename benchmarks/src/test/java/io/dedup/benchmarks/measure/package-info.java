@NullMarked
package io.dedup.benchmarks.measure;

import org.jspecify.annotations.NullMarked;

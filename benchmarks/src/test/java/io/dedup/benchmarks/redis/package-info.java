@NullMarked
package io.dedup.benchmarks.redis;

import org.jspecify.annotations.NullMarked;

@NullMarked
package io.dedup.spring.boot.internal.metrics;

import org.jspecify.annotations.NullMarked;

@NullMarked
package io.dedup.spring.boot.internal.tracing;

import org.jspecify.annotations.NullMarked;

/** Links skipped duplicates to the traces of the first runs. */
@NullMarked
package io.dedup.spring.boot.internal.tracing;

import org.jspecify.annotations.NullMarked;

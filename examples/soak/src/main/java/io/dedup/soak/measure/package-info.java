/** Samples of the consumer process, and whether anything has grown. */
@NullMarked
package io.dedup.soak.measure;

import org.jspecify.annotations.NullMarked;

/** Confluent's parallel consumer, whose handler takes effect once for each order. */
@NullMarked
package io.dedup.examples.parallel;

import org.jspecify.annotations.NullMarked;

/** A network between the consumer and the store. */
@NullMarked
package io.dedup.benchmarks.network;

import org.jspecify.annotations.NullMarked;

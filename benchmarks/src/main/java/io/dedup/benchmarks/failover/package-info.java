/** What messages see while the store's primary dies and its replica takes over. */
@NullMarked
package io.dedup.benchmarks.failover;

import org.jspecify.annotations.NullMarked;

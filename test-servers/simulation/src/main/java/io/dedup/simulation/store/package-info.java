/** The simulated store, and processes beside the one that consumes. */
@NullMarked
package io.dedup.simulation.store;

import org.jspecify.annotations.NullMarked;

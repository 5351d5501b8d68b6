/** What happened to each message in simulated time, and whether it may. */
@NullMarked
package io.dedup.simulation.judge;

import org.jspecify.annotations.NullMarked;

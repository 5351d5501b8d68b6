/** Runs the real adapter and engine on simulated brokers: each run draws its circumstances from a seed. */
@NullMarked
package io.dedup.simulation;

import org.jspecify.annotations.NullMarked;

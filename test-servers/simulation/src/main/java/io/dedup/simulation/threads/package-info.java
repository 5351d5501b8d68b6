/** Threads that take turns in an order that is drawn, and time that passes only while all of them wait. */
@NullMarked
package io.dedup.simulation.threads;

import org.jspecify.annotations.NullMarked;

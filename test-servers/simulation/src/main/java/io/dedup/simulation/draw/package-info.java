/** What a run draws from its seed, and how a failing run is repeated with less of it. */
@NullMarked
package io.dedup.simulation.draw;

import org.jspecify.annotations.NullMarked;

/** Share groups: the real container and adapter on a simulated share consumer and broker. */
@NullMarked
package io.dedup.simulation.share;

import org.jspecify.annotations.NullMarked;

/** Runs failovers under load, one scenario after the other. */
@NullMarked
package io.dedup.failover;

import org.jspecify.annotations.NullMarked;

/** How a run ends: at its return, when it is acknowledged, when its future ends, and in transactions. */
@NullMarked
package io.dedup.kafka.internal.settlement;

import org.jspecify.annotations.NullMarked;

/** How a run ends, one class each: at its return, when it is acknowledged, when its future ends, and in transactions. */
@NullMarked
package io.dedup.kafka.internal.settlement;

import org.jspecify.annotations.NullMarked;

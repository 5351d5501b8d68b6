/** Defers records: seeks, pauses and back-offs instead of counted failures. */
@NullMarked
package io.dedup.kafka.internal.deferral;

import org.jspecify.annotations.NullMarked;

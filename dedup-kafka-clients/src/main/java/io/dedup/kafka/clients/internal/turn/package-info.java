/** The turns of polled records: admit, run, settle, and what follows from each outcome. */
@NullMarked
package io.dedup.kafka.clients.internal.turn;

import org.jspecify.annotations.NullMarked;

/** The loop: prepare, poll, turns, fetch again what isn't handled, commit. */
@NullMarked
package io.dedup.kafka.clients.internal.loop;

import org.jspecify.annotations.NullMarked;

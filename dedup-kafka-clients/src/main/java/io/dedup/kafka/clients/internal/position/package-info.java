/** What of a poll is handled: offsets to commit, records to fetch again, partitions on hold. */
@NullMarked
package io.dedup.kafka.clients.internal.position;

import org.jspecify.annotations.NullMarked;

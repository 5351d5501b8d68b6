/** Makes deliveries of records: topic, message ID, fingerprint. */
@NullMarked
package io.dedup.kafka.clients.internal.record;

import org.jspecify.annotations.NullMarked;

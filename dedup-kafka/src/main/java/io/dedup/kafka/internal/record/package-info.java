/** Makes deliveries of records: their topic, their message ID, their fingerprint. */
@NullMarked
package io.dedup.kafka.internal.record;

import org.jspecify.annotations.NullMarked;

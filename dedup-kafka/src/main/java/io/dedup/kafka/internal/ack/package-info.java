/** What a consumer may commit: the records that handlers have, in the order of their offsets. */
@NullMarked
package io.dedup.kafka.internal.ack;

import org.jspecify.annotations.NullMarked;

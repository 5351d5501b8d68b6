/** Tests of the deliveries of records. */
@NullMarked
package io.dedup.kafka.internal.record;

import org.jspecify.annotations.NullMarked;

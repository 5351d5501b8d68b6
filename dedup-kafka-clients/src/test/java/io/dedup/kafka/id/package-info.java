/** Tests of what identifies a record. */
@NullMarked
package io.dedup.kafka.id;

import org.jspecify.annotations.NullMarked;

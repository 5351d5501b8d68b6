@NullMarked
package io.dedup.kafka.internal.ack;

import org.jspecify.annotations.NullMarked;

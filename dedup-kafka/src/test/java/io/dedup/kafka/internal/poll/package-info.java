@NullMarked
package io.dedup.kafka.internal.poll;

import org.jspecify.annotations.NullMarked;

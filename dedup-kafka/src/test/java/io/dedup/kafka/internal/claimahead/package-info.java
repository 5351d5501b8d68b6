@NullMarked
package io.dedup.kafka.internal.claimahead;

import org.jspecify.annotations.NullMarked;

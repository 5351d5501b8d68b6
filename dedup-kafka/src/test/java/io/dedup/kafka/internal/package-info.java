@NullMarked
package io.dedup.kafka.internal;

import org.jspecify.annotations.NullMarked;

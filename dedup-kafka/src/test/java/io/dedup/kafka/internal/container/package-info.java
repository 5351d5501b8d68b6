@NullMarked
package io.dedup.kafka.internal.container;

import org.jspecify.annotations.NullMarked;

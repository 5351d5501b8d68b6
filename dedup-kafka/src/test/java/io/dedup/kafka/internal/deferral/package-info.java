@NullMarked
package io.dedup.kafka.internal.deferral;

import org.jspecify.annotations.NullMarked;

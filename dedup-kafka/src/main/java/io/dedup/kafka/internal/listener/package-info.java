/** The decorated record listener and batch listener. */
@NullMarked
package io.dedup.kafka.internal.listener;

import org.jspecify.annotations.NullMarked;

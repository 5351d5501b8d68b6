/** The loop of a simple consumer: it receives, runs handlers, and stops. */
@NullMarked
package io.dedup.rocketmq.internal.loop;

import org.jspecify.annotations.NullMarked;

/** The messages that a loop has received and not yet answered: their states and their order, under one lock. */
@NullMarked
package io.dedup.rocketmq.internal.open;

import org.jspecify.annotations.NullMarked;

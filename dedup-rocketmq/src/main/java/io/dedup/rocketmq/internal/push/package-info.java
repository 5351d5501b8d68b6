/** The listener of a push consumer. */
@NullMarked
package io.dedup.rocketmq.internal.push;

import org.jspecify.annotations.NullMarked;

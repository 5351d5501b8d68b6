/** Renews the invisible times of open messages. */
@NullMarked
package io.dedup.rocketmq.internal.renewal;

import org.jspecify.annotations.NullMarked;

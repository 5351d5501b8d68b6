@NullMarked
package io.dedup.rocketmq.internal.ack;

import org.jspecify.annotations.NullMarked;

/** The threads of a loop, and what they wait for. */
@NullMarked
package io.dedup.rocketmq.internal.thread;

import org.jspecify.annotations.NullMarked;

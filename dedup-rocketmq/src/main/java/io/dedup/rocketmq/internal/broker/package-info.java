/** What a loop asks of the broker about a message. */
@NullMarked
package io.dedup.rocketmq.internal.broker;

import org.jspecify.annotations.NullMarked;

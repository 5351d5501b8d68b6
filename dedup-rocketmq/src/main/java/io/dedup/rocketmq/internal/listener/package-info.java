/** What a push consumer and a loop have in common: how a message is read, and how the listener is run with it. */
@NullMarked
package io.dedup.rocketmq.internal.listener;

import org.jspecify.annotations.NullMarked;

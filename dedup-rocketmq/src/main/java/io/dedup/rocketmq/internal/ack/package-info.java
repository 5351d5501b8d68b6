/** How a loop completes and acknowledges messages, or has them redelivered. */
@NullMarked
package io.dedup.rocketmq.internal.ack;

import org.jspecify.annotations.NullMarked;

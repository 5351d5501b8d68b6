/** How a loop completes and acknowledges messages, or gives them back. */
@NullMarked
package io.dedup.rocketmq.internal.answer;

import org.jspecify.annotations.NullMarked;

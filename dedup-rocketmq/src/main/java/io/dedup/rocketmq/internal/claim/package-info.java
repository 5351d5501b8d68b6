/** How a loop asks the store which messages may run. */
@NullMarked
package io.dedup.rocketmq.internal.claim;

import org.jspecify.annotations.NullMarked;

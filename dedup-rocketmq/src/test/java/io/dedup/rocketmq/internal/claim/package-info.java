@NullMarked
package io.dedup.rocketmq.internal.claim;

import org.jspecify.annotations.NullMarked;

@NullMarked
package io.dedup.rocketmq.internal.open;

import org.jspecify.annotations.NullMarked;

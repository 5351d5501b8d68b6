@NullMarked
package io.dedup.rocketmq.internal.loop;

import org.jspecify.annotations.NullMarked;

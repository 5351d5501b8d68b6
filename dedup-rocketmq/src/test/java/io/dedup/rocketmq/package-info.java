@NullMarked
package io.dedup.rocketmq;

import org.jspecify.annotations.NullMarked;

@NullMarked
package io.dedup.rocketmq.remoting.internal;

import org.jspecify.annotations.NullMarked;

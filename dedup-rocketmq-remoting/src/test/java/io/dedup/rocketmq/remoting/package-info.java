@NullMarked
package io.dedup.rocketmq.remoting;

import org.jspecify.annotations.NullMarked;

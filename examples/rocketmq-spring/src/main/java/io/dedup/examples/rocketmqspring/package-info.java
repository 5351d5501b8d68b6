/** Listeners of rocketmq-spring take effect once by configuration or by their annotation. */
@NullMarked
package io.dedup.examples.rocketmqspring;

import org.jspecify.annotations.NullMarked;

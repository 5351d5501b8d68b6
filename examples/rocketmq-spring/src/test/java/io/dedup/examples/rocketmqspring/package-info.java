/** The example on a real broker. */
@NullMarked
package io.dedup.examples.rocketmqspring;

import org.jspecify.annotations.NullMarked;

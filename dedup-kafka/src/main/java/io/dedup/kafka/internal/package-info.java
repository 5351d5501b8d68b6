/** What all packages of this module share: the logger's name, timers and threads, and how a claim is released after a failure. */
@NullMarked
package io.dedup.kafka.internal;

import org.jspecify.annotations.NullMarked;

/** What all packages of this module share: the logger's name and partitions. */
@NullMarked
package io.dedup.kafka.internal;

import org.jspecify.annotations.NullMarked;

/** Tests of the parts that claim and record many messages with one call. */
@NullMarked
package io.dedup.kafka.clients.internal.settle;

import org.jspecify.annotations.NullMarked;

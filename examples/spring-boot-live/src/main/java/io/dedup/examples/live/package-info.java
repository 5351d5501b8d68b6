/**
 * A shop, its web page, and the consumer of its messages in a JVM of its own that can be killed.
 *
 * <p>The deduplicated application is {@link io.dedup.examples.live.ConsumerApplication}; everything else is there to watch it.
 */
@NullMarked
package io.dedup.examples.live;

import org.jspecify.annotations.NullMarked;

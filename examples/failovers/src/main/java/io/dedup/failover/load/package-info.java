/** The steady load: a producer, consumers decorated by the framework, and their effects. */
@NullMarked
package io.dedup.failover.load;

import org.jspecify.annotations.NullMarked;

/** Tests of the count. */
@NullMarked
package io.dedup.failover.count;

import org.jspecify.annotations.NullMarked;

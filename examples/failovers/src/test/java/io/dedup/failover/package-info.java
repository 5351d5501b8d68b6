/** Tests of the failovers. */
@NullMarked
package io.dedup.failover;

import org.jspecify.annotations.NullMarked;

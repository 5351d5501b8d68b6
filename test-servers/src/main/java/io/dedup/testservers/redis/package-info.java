/** Redis servers, alone, watched by sentinels and as a cluster. */
@NullMarked
package io.dedup.testservers.redis;

import org.jspecify.annotations.NullMarked;

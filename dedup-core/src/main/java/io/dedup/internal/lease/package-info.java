/** Owners of claims, and the heartbeat that renews their leases. Not API. */
@NullMarked
package io.dedup.internal.lease;

import org.jspecify.annotations.NullMarked;

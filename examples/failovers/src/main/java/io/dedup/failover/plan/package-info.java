/** What a scenario is: servers, a load, failovers, and a promise. */
@NullMarked
package io.dedup.failover.plan;

import org.jspecify.annotations.NullMarked;

/** Failovers of PostgreSQL and MariaDB: the primary is killed, and the replica is promoted. */
@NullMarked
package io.dedup.failover.sql;

import org.jspecify.annotations.NullMarked;

/** PostgreSQL and MariaDB whose primary is killed and whose replica is promoted. */
@NullMarked
package io.dedup.failover.sql;

import org.jspecify.annotations.NullMarked;

/** PostgreSQL and MariaDB servers, and databases of one's own on them. */
@NullMarked
package io.dedup.testservers.sql;

import org.jspecify.annotations.NullMarked;

/** PostgreSQL and MariaDB servers, and separate databases on them. */
@NullMarked
package io.dedup.testservers.sql;

import org.jspecify.annotations.NullMarked;

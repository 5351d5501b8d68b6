/** The dialects of MySQL and MariaDB. */
@NullMarked
package io.dedup.store.jdbc.internal.mysql;

import org.jspecify.annotations.NullMarked;

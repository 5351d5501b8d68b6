/** What statements are made of: the table's name, keys, times and parameters as the database stores them. */
@NullMarked
package io.dedup.store.jdbc.internal.sql;

import org.jspecify.annotations.NullMarked;

@NullMarked
package io.dedup.store.jdbc;

import org.jspecify.annotations.NullMarked;

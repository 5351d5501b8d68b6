@NullMarked
package io.dedup.store.jdbc.internal.mysql;

import org.jspecify.annotations.NullMarked;

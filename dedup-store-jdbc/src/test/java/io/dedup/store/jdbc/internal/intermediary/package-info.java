@NullMarked
package io.dedup.store.jdbc.internal.intermediary;

import org.jspecify.annotations.NullMarked;

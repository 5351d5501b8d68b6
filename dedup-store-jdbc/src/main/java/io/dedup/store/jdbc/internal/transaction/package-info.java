/** Records in the transactions of handlers. */
@NullMarked
package io.dedup.store.jdbc.internal.transaction;

import org.jspecify.annotations.NullMarked;

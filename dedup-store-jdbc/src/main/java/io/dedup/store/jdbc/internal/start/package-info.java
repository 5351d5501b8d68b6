/** Opens a store: connects, checks the server and the table, and puts the parts together. */
@NullMarked
package io.dedup.store.jdbc.internal.start;

import org.jspecify.annotations.NullMarked;

/** Opens a store: connects, checks the server and the table, and assembles the parts. */
@NullMarked
package io.dedup.store.jdbc.internal.start;

import org.jspecify.annotations.NullMarked;

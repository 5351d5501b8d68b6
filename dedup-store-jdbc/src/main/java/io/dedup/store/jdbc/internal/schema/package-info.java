/** Creates and checks the table. */
@NullMarked
package io.dedup.store.jdbc.internal.schema;

import org.jspecify.annotations.NullMarked;

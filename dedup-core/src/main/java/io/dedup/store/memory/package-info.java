/** A store without a server, for tests, demos and single-process use. */
@NullMarked
package io.dedup.store.memory;

import org.jspecify.annotations.NullMarked;

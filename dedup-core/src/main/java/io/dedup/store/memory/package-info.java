/**
 * A store without a server, for tests, demos and single-process use.
 *
 * <p>Status: stable.
 *
 * @since 0.1.0
 */
@NullMarked
package io.dedup.store.memory;

import org.jspecify.annotations.NullMarked;

/**
 * What operators can ask of a store, and the optional capabilities for that.
 *
 * <p>Status: stable.
 *
 * @since 0.1.0
 */
@NullMarked
package io.dedup.store.operator;

import org.jspecify.annotations.NullMarked;

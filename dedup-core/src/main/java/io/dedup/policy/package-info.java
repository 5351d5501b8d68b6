/**
 * The policy of a topic: its settings, their values and their names.
 *
 * <p>Status: stable.
 *
 * @since 0.1.0
 */
@NullMarked
package io.dedup.policy;

import org.jspecify.annotations.NullMarked;

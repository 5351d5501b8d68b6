/**
 * For clients whose listener must answer before it returns: a message that cannot be decided yet waits on the
 * listener's thread, and the answer determines whether the broker redelivers it.
 *
 * <p>Status: experimental; it may change in any minor release.
 *
 * @since 0.1.0
 */
@NullMarked
package io.dedup.adapter.inplace;

import org.jspecify.annotations.NullMarked;

/**
 * For clients whose listener has to answer before it returns: a message that can't be decided yet waits on the listener's
 * thread, and the answer says whether the broker redelivers it.
 */
@NullMarked
package io.dedup.adapter.inplace;

import org.jspecify.annotations.NullMarked;

/**
 * The whole protocol under random histories: engines as they are, a store on a clock that a history moves, a broker that
 * delivers again, and an oracle that knows the rules.
 */
@NullMarked
package io.dedup.protocol;

import org.jspecify.annotations.NullMarked;

/** The policy of a topic: its settings, their values and their names. */
@NullMarked
package io.dedup.policy;

import org.jspecify.annotations.NullMarked;

/** How messages of a topic are deduplicated: the policy, its settings and their names. */
@NullMarked
package io.dedup.policy;

import org.jspecify.annotations.NullMarked;

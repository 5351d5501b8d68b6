/** Replays without servers: when a report is made, and what it doesn't know. */
@NullMarked
package io.dedup.testkit.replay;

import org.jspecify.annotations.NullMarked;

/** The soak: a consumer in a small heap runs at full speed for an hour, and nothing in it may grow. */
@NullMarked
package io.dedup.soak;

import org.jspecify.annotations.NullMarked;

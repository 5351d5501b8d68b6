/** The soak: a consumer in a small heap at full speed for an hour, of which nothing may grow. */
@NullMarked
package io.dedup.soak;

import org.jspecify.annotations.NullMarked;

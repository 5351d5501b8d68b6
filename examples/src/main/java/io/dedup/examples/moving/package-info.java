/** docs/moving-in.md: consumers of an old scheme and of dedup side by side. */
@NullMarked
package io.dedup.examples.moving;

import org.jspecify.annotations.NullMarked;

/** An admitted run of a handler: its claim, its lease, its result. Not API. */
@NullMarked
package io.dedup.internal.run;

import org.jspecify.annotations.NullMarked;

/** Fault plans without servers: what is drawn, what is refused, what is said. */
@NullMarked
package io.dedup.testkit.plan;

import org.jspecify.annotations.NullMarked;

/** The plan of a run: the listeners, and the arguments of the consumer process. */
@NullMarked
package io.dedup.soak.plan;

import org.jspecify.annotations.NullMarked;

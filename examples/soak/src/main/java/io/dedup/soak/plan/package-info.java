/** What is run: the listeners, and what the consumer process is told. */
@NullMarked
package io.dedup.soak.plan;

import org.jspecify.annotations.NullMarked;

/** Servers, messages and samples around the consumer process. */
@NullMarked
package io.dedup.soak.run;

import org.jspecify.annotations.NullMarked;

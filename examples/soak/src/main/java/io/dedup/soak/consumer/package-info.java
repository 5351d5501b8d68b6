/** The consumer process. */
@NullMarked
package io.dedup.soak.consumer;

import org.jspecify.annotations.NullMarked;

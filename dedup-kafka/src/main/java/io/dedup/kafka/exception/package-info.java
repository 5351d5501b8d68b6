/** What decorated listeners throw to error handlers, interceptors and observers. */
@NullMarked
package io.dedup.kafka.exception;

import org.jspecify.annotations.NullMarked;

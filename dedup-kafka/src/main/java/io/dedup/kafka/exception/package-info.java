/** Exceptions that decorated listeners throw to error handlers, interceptors and observations. */
@NullMarked
package io.dedup.kafka.exception;

import org.jspecify.annotations.NullMarked;

/**
 * Exceptions that decorated listeners throw to error handlers, interceptors and observations.
 *
 * <p>Status: stable.
 *
 * @since 0.1.0
 */
@NullMarked
package io.dedup.kafka.exception;

import org.jspecify.annotations.NullMarked;

/** Requests with an {@code Idempotency-Key} in WebFlux. */
@NullMarked
package io.dedup.http.internal.reactive;

import org.jspecify.annotations.NullMarked;

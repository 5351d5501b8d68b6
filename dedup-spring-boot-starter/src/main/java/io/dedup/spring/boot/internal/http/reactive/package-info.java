/** Requests with an {@code Idempotency-Key} in WebFlux. */
@NullMarked
package io.dedup.spring.boot.internal.http.reactive;

import org.jspecify.annotations.NullMarked;

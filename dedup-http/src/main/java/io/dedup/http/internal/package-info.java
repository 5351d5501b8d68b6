/** Requests with an {@code Idempotency-Key}: what Spring MVC and WebFlux have in common. */
@NullMarked
package io.dedup.http.internal;

import org.jspecify.annotations.NullMarked;

/** Requests with an {@code Idempotency-Key}: what Spring MVC and WebFlux have in common. */
@NullMarked
package io.dedup.spring.boot.internal.http;

import org.jspecify.annotations.NullMarked;

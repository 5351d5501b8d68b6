/**
 * Runs a request once for its {@code Idempotency-Key}: {@link io.dedup.http.ServletDedup} in servlet containers,
 * {@link io.dedup.http.WebFluxDedup} in WebFlux. The Spring Boot starters configure both.
 */
@NullMarked
package io.dedup.http;

import org.jspecify.annotations.NullMarked;

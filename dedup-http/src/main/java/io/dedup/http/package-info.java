/**
 * Runs a request once for its {@code Idempotency-Key}: {@link io.dedup.http.ServletDedup} in servlet containers,
 * {@link io.dedup.http.WebFluxDedup} in WebFlux. The Spring Boot starters configure both.
 *
 * <p>Status: experimental; it may change in any minor release.
 *
 * @since 0.1.0
 */
@NullMarked
package io.dedup.http;

import org.jspecify.annotations.NullMarked;

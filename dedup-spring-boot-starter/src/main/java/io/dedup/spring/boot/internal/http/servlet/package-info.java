/** Requests with an {@code Idempotency-Key} in servlet containers. */
@NullMarked
package io.dedup.spring.boot.internal.http.servlet;

import org.jspecify.annotations.NullMarked;

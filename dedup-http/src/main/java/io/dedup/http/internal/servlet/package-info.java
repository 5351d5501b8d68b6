/** Requests with an {@code Idempotency-Key} in servlet containers. */
@NullMarked
package io.dedup.http.internal.servlet;

import org.jspecify.annotations.NullMarked;

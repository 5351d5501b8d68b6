/** Reads {@code dedup.http}, and serves its paths with dedup-http. */
@NullMarked
package io.dedup.spring.boot.internal.http;

import org.jspecify.annotations.NullMarked;

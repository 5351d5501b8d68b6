/** The classes of Spring Boot 4 that other versions of Spring Boot have elsewhere; the rest of the starter knows none of them. */
@NullMarked
package io.dedup.spring.boot.internal.boot;

import org.jspecify.annotations.NullMarked;

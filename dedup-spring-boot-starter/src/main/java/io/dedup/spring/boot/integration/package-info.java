/** For flows of Spring Integration. */
@NullMarked
package io.dedup.spring.boot.integration;

import org.jspecify.annotations.NullMarked;

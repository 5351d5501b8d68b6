/**
 * For flows of Spring Integration.
 *
 * <p>Status: experimental; it may change in any minor release.
 *
 * @since 0.1.0
 */
@NullMarked
package io.dedup.spring.boot.integration;

import org.jspecify.annotations.NullMarked;

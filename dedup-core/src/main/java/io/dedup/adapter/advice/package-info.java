/**
 * What adapters must know of the advices that an application puts around its handlers.
 *
 * <p>Status: experimental; it may change in any minor release.
 *
 * @since 0.1.0
 */
@NullMarked
package io.dedup.adapter.advice;

import org.jspecify.annotations.NullMarked;

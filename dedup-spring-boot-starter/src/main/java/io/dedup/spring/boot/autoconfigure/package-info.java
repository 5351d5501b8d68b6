/**
 * The auto-configurations: which beans deduplicate, where the application has what they need.
 *
 * <p>Status: experimental; it may change in any minor release.
 *
 * @since 0.1.0
 */
@NullMarked
package io.dedup.spring.boot.autoconfigure;

import org.jspecify.annotations.NullMarked;

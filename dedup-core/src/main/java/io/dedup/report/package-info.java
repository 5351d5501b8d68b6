/**
 * Reports of duplicates for an hour or a day: how many, why, of which messages, and how long after the first one.
 *
 * <p>Status: experimental; it may change in any minor release.
 *
 * @since 0.1.0
 */
@NullMarked
package io.dedup.report;

import org.jspecify.annotations.NullMarked;

/** The settings of a deduplicator, checked. Not API. */
@NullMarked
package io.dedup.internal.settings;

import org.jspecify.annotations.NullMarked;

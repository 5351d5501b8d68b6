/** The deduplicators of the application, and the listeners that each of them serves. */
@NullMarked
package io.dedup.spring.boot.internal.deduplicator;

import org.jspecify.annotations.NullMarked;

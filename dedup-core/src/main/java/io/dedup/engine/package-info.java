/** Creates and closes deduplicators. */
@NullMarked
package io.dedup.engine;

import org.jspecify.annotations.NullMarked;

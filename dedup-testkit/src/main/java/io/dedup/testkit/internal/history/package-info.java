/** The group of the store contract that compares random histories with the in-memory store. */
@NullMarked
package io.dedup.testkit.internal.history;

import org.jspecify.annotations.NullMarked;

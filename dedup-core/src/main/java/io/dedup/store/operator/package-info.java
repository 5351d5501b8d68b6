/** What operators ask a store for, and its optional capabilities for them. */
@NullMarked
package io.dedup.store.operator;

import org.jspecify.annotations.NullMarked;

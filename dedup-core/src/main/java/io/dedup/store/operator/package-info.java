/** What operators can ask of a store, and the optional capabilities for that. */
@NullMarked
package io.dedup.store.operator;

import org.jspecify.annotations.NullMarked;

/** Does a server do what a dialect relies on, although the store's tests don't run on it? */
@NullMarked
package io.dedup.store.jdbc.internal.lookalike;

import org.jspecify.annotations.NullMarked;

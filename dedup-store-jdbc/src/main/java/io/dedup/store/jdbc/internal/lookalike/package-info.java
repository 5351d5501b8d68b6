/** Servers that speak another server's language: are they known, and do they do what a dialect relies on? */
@NullMarked
package io.dedup.store.jdbc.internal.lookalike;

import org.jspecify.annotations.NullMarked;

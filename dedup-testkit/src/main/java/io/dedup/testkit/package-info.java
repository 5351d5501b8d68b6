/**
 * What proves a dedup store: {@link io.dedup.testkit.DedupStoreContract}, inherited by one test class of the store's.
 */
@NullMarked
package io.dedup.testkit;

import org.jspecify.annotations.NullMarked;

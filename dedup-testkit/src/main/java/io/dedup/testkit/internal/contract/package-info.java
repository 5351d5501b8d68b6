/** The groups of the store contract, one for each promise that a store makes. */
@NullMarked
package io.dedup.testkit.internal.contract;

import org.jspecify.annotations.NullMarked;

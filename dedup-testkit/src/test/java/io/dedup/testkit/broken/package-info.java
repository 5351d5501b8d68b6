/** Stores that break one rule each, to see that the contract notices. */
@NullMarked
package io.dedup.testkit.broken;

import org.jspecify.annotations.NullMarked;

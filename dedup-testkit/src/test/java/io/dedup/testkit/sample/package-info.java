/** The store of docs/writing-a-store.md, as an author of another store would write it: from outside of this package's parent. */
@NullMarked
package io.dedup.testkit.sample;

import org.jspecify.annotations.NullMarked;

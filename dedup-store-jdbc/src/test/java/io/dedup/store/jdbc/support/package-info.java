/** Databases, sessions and messages for the tests of this module. */
@NullMarked
package io.dedup.store.jdbc.support;

import org.jspecify.annotations.NullMarked;

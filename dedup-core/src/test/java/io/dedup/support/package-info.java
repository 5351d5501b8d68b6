/** What the tests of the core share. */
@NullMarked
package io.dedup.support;

import org.jspecify.annotations.NullMarked;

/** The example on a real broker and a real database. */
@NullMarked
package io.dedup.examples.method;

import org.jspecify.annotations.NullMarked;

/** Listeners take effect once by configuration alone. */
@NullMarked
package io.dedup.examples.boot;

import org.jspecify.annotations.NullMarked;

/** The short form of the soak, and its rules. */
@NullMarked
package io.dedup.soak;

import org.jspecify.annotations.NullMarked;

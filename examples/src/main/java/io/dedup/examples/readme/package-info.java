/** The code of the README, compiled. */
@NullMarked
package io.dedup.examples.readme;

import org.jspecify.annotations.NullMarked;

/** How long the tests of every module wait for what has to happen. */
@NullMarked
package io.dedup.patience;

import org.jspecify.annotations.NullMarked;

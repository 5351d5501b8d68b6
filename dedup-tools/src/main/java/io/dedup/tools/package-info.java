/** Commands for operators. */
@NullMarked
package io.dedup.tools;

import org.jspecify.annotations.NullMarked;

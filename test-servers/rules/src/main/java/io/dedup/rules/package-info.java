/** The architecture rules of every module. */
@NullMarked
package io.dedup.rules;

import org.jspecify.annotations.NullMarked;

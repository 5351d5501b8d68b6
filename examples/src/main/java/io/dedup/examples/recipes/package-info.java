/** The code of docs/recipes, compiled. */
@NullMarked
package io.dedup.examples.recipes;

import org.jspecify.annotations.NullMarked;

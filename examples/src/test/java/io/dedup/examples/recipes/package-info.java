@NullMarked
package io.dedup.examples.recipes;

import org.jspecify.annotations.NullMarked;

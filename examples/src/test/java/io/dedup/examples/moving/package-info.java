@NullMarked
package io.dedup.examples.moving;

import org.jspecify.annotations.NullMarked;

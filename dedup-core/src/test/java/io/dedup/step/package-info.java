@NullMarked
package io.dedup.step;

import org.jspecify.annotations.NullMarked;

@NullMarked
package io.dedup.internal.background;

import org.jspecify.annotations.NullMarked;

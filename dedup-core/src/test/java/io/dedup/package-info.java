@NullMarked
package io.dedup;

import org.jspecify.annotations.NullMarked;

@NullMarked
package io.dedup.internal.direct;

import org.jspecify.annotations.NullMarked;

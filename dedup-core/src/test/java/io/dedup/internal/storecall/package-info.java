@NullMarked
package io.dedup.internal.storecall;

import org.jspecify.annotations.NullMarked;

@NullMarked
package io.dedup.internal.settle;

import org.jspecify.annotations.NullMarked;

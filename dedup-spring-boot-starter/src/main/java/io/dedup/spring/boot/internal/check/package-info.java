/** Checks that run when all listeners are known and before any of them starts. */
@NullMarked
package io.dedup.spring.boot.internal.check;

import org.jspecify.annotations.NullMarked;

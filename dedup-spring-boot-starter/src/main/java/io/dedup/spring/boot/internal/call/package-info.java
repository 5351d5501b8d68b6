/** Calls of the application's code that run under a claim or in a transaction, or not at all. */
@NullMarked
package io.dedup.spring.boot.internal.call;

import org.jspecify.annotations.NullMarked;

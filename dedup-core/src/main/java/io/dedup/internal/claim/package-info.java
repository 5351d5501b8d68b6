/** Claims deliveries and decides what happens to them. Not API. */
@NullMarked
package io.dedup.internal.claim;

import org.jspecify.annotations.NullMarked;

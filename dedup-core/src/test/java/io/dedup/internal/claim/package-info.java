@NullMarked
package io.dedup.internal.claim;

import org.jspecify.annotations.NullMarked;

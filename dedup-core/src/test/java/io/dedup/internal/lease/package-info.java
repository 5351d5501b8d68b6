@NullMarked
package io.dedup.internal.lease;

import org.jspecify.annotations.NullMarked;

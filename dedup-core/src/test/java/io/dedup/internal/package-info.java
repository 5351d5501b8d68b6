@NullMarked
package io.dedup.internal;

import org.jspecify.annotations.NullMarked;

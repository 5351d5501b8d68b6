@NullMarked
package io.dedup.internal.engine;

import org.jspecify.annotations.NullMarked;

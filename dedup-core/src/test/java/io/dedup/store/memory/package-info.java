@NullMarked
package io.dedup.store.memory;

import org.jspecify.annotations.NullMarked;

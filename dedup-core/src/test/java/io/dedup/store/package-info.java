@NullMarked
package io.dedup.store;

import org.jspecify.annotations.NullMarked;

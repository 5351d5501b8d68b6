@NullMarked
package io.dedup.spring.boot.internal.store;

import org.jspecify.annotations.NullMarked;

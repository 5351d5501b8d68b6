@NullMarked
package io.dedup.spring.boot.internal.call;

import org.jspecify.annotations.NullMarked;

@NullMarked
package io.dedup.spring.boot.internal.id;

import org.jspecify.annotations.NullMarked;

@NullMarked
package io.dedup.spring.boot.internal.text;

import org.jspecify.annotations.NullMarked;

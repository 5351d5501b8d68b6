@NullMarked
package io.dedup.spring.boot.autoconfigure;

import org.jspecify.annotations.NullMarked;

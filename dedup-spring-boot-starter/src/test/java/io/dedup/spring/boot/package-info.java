@NullMarked
package io.dedup.spring.boot;

import org.jspecify.annotations.NullMarked;

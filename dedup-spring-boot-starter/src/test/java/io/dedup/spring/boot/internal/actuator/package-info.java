@NullMarked
package io.dedup.spring.boot.internal.actuator;

import org.jspecify.annotations.NullMarked;

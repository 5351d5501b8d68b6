/** The actuator endpoint for operators, and the health of the stores. */
@NullMarked
package io.dedup.spring.boot.internal.actuator;

import org.jspecify.annotations.NullMarked;

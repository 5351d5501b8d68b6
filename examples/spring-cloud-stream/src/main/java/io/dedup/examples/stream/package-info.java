/** Functions of Spring Cloud Stream and flows of Spring Integration that take effect once. */
@NullMarked
package io.dedup.examples.stream;

import org.jspecify.annotations.NullMarked;

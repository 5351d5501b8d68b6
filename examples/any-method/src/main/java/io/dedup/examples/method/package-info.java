/** Methods that JMS and application events call take effect once by their annotation. */
@NullMarked
package io.dedup.examples.method;

import org.jspecify.annotations.NullMarked;

/** Methods of Spring beans that something else calls, and that are deduplicated by their annotation. */
@NullMarked
package io.dedup.spring.boot.internal.method;

import org.jspecify.annotations.NullMarked;

/** Message IDs of calls. */
@NullMarked
package io.dedup.spring.boot.internal.method;

import org.jspecify.annotations.NullMarked;

/** Which listener and topic is deduplicated, and how: the layers of configuration as one plan. */
@NullMarked
package io.dedup.spring.boot.internal.plan;

import org.jspecify.annotations.NullMarked;

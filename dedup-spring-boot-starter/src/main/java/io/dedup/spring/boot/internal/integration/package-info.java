/** Handlers of Spring Integration, deduplicated by an advice. */
@NullMarked
package io.dedup.spring.boot.internal.integration;

import org.jspecify.annotations.NullMarked;

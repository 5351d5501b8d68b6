/** Message IDs of flows. */
@NullMarked
package io.dedup.spring.boot.internal.integration;

import org.jspecify.annotations.NullMarked;

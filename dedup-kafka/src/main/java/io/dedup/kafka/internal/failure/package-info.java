/** What becomes of the claims of failed work, and of the exception it has thrown. */
@NullMarked
package io.dedup.kafka.internal.failure;

import org.jspecify.annotations.NullMarked;

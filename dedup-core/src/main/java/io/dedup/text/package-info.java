/** Helpers for text: safe log output, UTF-8 lengths and hashes, and causes of failures. */
@NullMarked
package io.dedup.text;

import org.jspecify.annotations.NullMarked;

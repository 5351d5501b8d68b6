/** On a real broker. */
@NullMarked
package io.dedup.examples.stream;

import org.jspecify.annotations.NullMarked;

@NullMarked
package io.dedup.examples;

import org.jspecify.annotations.NullMarked;

@NullMarked
package io.dedup.examples.boot;

import org.jspecify.annotations.NullMarked;

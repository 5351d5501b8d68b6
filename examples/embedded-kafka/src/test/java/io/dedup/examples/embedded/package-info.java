@NullMarked
package io.dedup.examples.embedded;

import org.jspecify.annotations.NullMarked;

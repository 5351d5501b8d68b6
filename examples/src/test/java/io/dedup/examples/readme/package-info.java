@NullMarked
package io.dedup.examples.readme;

import org.jspecify.annotations.NullMarked;

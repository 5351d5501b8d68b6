@NullMarked
package io.dedup.examples.live;

import org.jspecify.annotations.NullMarked;

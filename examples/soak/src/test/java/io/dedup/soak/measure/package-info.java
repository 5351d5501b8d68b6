/** Tests that growth is detected, and that nothing else is reported as growth. */
@NullMarked
package io.dedup.soak.measure;

import org.jspecify.annotations.NullMarked;

/** Whether growth is seen, and nothing else is taken for it. */
@NullMarked
package io.dedup.soak.measure;

import org.jspecify.annotations.NullMarked;

@NullMarked
package io.dedup.internal.run;

import org.jspecify.annotations.NullMarked;

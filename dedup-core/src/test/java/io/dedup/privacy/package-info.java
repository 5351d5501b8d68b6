@NullMarked
package io.dedup.privacy;

import org.jspecify.annotations.NullMarked;

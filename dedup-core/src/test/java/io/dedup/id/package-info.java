@NullMarked
package io.dedup.id;

import org.jspecify.annotations.NullMarked;

@NullMarked
package io.dedup.json;

import org.jspecify.annotations.NullMarked;

@NullMarked
package io.dedup.text;

import org.jspecify.annotations.NullMarked;

@NullMarked
package io.dedup.internal.listener;

import org.jspecify.annotations.NullMarked;

/** Imports messages that were handled before the store knew of them. */
@NullMarked
package io.dedup.internal.migration;

import org.jspecify.annotations.NullMarked;

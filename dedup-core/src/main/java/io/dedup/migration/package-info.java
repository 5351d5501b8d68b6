/** What was handled before dedup was introduced, and the report of its import. */
@NullMarked
package io.dedup.migration;

import org.jspecify.annotations.NullMarked;

/** Steps of handlers: kept with the record, and returned to the next attempt. Not API. */
@NullMarked
package io.dedup.internal.step;

import org.jspecify.annotations.NullMarked;

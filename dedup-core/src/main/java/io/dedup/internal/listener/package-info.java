/** Notifies listeners, and logs for those who have none. Not API. */
@NullMarked
package io.dedup.internal.listener;

import org.jspecify.annotations.NullMarked;

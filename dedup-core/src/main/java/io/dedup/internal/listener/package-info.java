/** Notifies listeners, and logs events for applications without a listener. Not API. */
@NullMarked
package io.dedup.internal.listener;

import org.jspecify.annotations.NullMarked;

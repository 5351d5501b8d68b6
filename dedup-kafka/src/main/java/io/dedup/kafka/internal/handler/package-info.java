/** Stands around the handler methods of annotated listeners: their context, and what they return later. */
@NullMarked
package io.dedup.kafka.internal.handler;

import org.jspecify.annotations.NullMarked;

/** Refuses consumers whose settings would lose records. */
@NullMarked
package io.dedup.kafka.clients.internal.record;

import org.jspecify.annotations.NullMarked;

/** Wires a container once, and checks it at its start. */
@NullMarked
package io.dedup.kafka.internal.container;

import org.jspecify.annotations.NullMarked;

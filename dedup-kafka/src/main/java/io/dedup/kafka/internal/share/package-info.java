/** Share groups, with spring-kafka 4.1 and newer; no other internal package knows it. */
@NullMarked
package io.dedup.kafka.internal.share;

import org.jspecify.annotations.NullMarked;

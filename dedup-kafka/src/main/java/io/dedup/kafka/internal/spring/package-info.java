/** Reaches into spring-kafka where it has no getter, and bridges its versions. */
@NullMarked
package io.dedup.kafka.internal.spring;

import org.jspecify.annotations.NullMarked;

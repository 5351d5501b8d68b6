@NullMarked
package io.dedup.kafka.internal.spring;

import org.jspecify.annotations.NullMarked;

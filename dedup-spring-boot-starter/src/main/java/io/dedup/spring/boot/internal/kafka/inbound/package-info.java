/** Listeners of Spring Integration, which handle the failures of their flow themselves. */
@NullMarked
package io.dedup.spring.boot.internal.kafka.inbound;

import org.jspecify.annotations.NullMarked;

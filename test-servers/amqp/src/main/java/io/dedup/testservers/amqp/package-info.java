/** Brokers for AMQP 0-9-1. */
@NullMarked
package io.dedup.testservers.amqp;

import org.jspecify.annotations.NullMarked;

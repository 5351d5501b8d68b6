/** Idempotent RocketMQ consumers, on the older client, which talks to name server and brokers itself. */
@NullMarked
package io.dedup.rocketmq.remoting;

import org.jspecify.annotations.NullMarked;

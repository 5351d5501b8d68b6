/** Failovers of RocketMQ: the master is killed, and the slave becomes the master. */
@NullMarked
package io.dedup.failover.rocketmq;

import org.jspecify.annotations.NullMarked;

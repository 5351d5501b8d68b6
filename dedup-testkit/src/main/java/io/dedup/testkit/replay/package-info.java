/**
 * Tests a listener: {@link io.dedup.testkit.replay.TopicReplay} delivers a topic's messages to a running application again,
 * and {@link io.dedup.testkit.replay.ReplayAssert} checks what must be true afterwards. Knows no broker: {@link
 * io.dedup.testkit.kafka.KafkaReplay} and {@link io.dedup.testkit.rocketmq.RocketMqReplay} make replays.
 *
 * <p>Status: stable.
 *
 * @since 0.1.0
 */
@NullMarked
package io.dedup.testkit.replay;

import org.jspecify.annotations.NullMarked;

/**
 * Fault plans: {@link io.dedup.testkit.plan.FaultPlan} on a JUnit test runs a listener through the faults of production,
 * and {@link io.dedup.testkit.plan.FaultReport} names the messages that were lost or took effect twice. Knows no broker:
 * {@link io.dedup.testkit.kafka.KafkaTraffic} makes {@link io.dedup.testkit.plan.Traffic}.
 *
 * <p>Status: experimental; it may change in any minor release.
 *
 * @since 0.1.0
 */
@NullMarked
package io.dedup.testkit.plan;

import org.jspecify.annotations.NullMarked;

/** Replays and timelines in Spring's test context. Requires spring-test; {@link KafkaReplays} also requires spring-kafka. */
@NullMarked
package io.dedup.testkit.spring;

import org.jspecify.annotations.NullMarked;

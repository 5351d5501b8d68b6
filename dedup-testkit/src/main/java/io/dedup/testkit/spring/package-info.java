/** For Spring's test context. Needs spring-test; {@link KafkaReplays} needs spring-kafka as well. */
@NullMarked
package io.dedup.testkit.spring;

import org.jspecify.annotations.NullMarked;

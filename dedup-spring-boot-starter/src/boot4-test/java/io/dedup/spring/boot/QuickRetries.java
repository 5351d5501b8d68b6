package io.dedup.spring.boot;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.core.annotation.AliasFor;
import org.springframework.kafka.annotation.BackOff;
import org.springframework.kafka.annotation.RetryableTopic;

/** Retry topics with short delays, whose annotation has another name in the spring-kafka of Spring Boot 3. */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@RetryableTopic(backOff = @BackOff(delay = 50), numPartitions = "1")
@interface QuickRetries {
    @AliasFor(annotation = RetryableTopic.class)
    String attempts();
}

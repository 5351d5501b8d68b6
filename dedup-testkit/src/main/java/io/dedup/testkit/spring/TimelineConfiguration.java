package io.dedup.testkit.spring;

import io.dedup.testkit.replay.Timeline;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The bean that needs no broker. */
@Configuration(proxyBeanMethods = false)
class TimelineConfiguration {
    @Bean
    Timeline dedupTimeline() {
        return new Timeline();
    }
}

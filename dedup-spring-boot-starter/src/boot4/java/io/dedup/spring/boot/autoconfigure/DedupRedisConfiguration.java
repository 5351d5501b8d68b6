package io.dedup.spring.boot.autoconfigure;

import io.dedup.spring.boot.internal.boot.ConnectionDetailsRedis;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The connection to Redis, with the classes of Spring Boot 4. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(DataRedisConnectionDetails.class)
final class DedupRedisConfiguration {
    @Bean
    ConnectionDetailsRedis dedupRedis(ObjectProvider<DataRedisConnectionDetails> details) {
        return new ConnectionDetailsRedis(details);
    }
}

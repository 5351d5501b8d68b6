package io.dedup.examples.stream;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.messaging.Message;

/** Functions without a line about deduplication: application.yml has all of it. */
@Configuration(proxyBeanMethods = false)
class Orders {
    // docs:begin reserve
    @Bean
    Consumer<Message<String>> reserve(JdbcTemplate database) {
        return order -> database.update("INSERT INTO reservation VALUES (?)", order.getPayload());
    }
    // docs:end

    @Bean
    Function<String, String> price() {
        return order -> order + " costs 10";
    }

    @Bean
    Consumer<List<String>> count(JdbcTemplate database) {
        return clicks -> clicks.forEach(click -> database.update("INSERT INTO click VALUES (?)", click));
    }
}

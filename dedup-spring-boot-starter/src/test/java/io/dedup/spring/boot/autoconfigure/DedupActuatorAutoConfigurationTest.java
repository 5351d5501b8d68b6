package io.dedup.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dedup.DedupOutcome;
import io.dedup.Deduplicator;
import io.dedup.spring.boot.Deduplicated;
import io.dedup.spring.boot.internal.actuator.DedupEndpoint;
import io.dedup.spring.boot.internal.deduplicator.DeduplicatorRegistry;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.kafka.annotation.KafkaListener;

class DedupActuatorAutoConfigurationTest {
    @Test
    void onlyReadsByDefault() {
        new ApplicationContextRunner()
                .withConfiguration(
                        AutoConfigurations.of(DedupAutoConfiguration.class, DedupActuatorAutoConfiguration.class))
                .withPropertyValues("management.endpoints.web.exposure.include=dedup")
                .run(context -> assertThat(context.getBean(DedupEndpoint.class)
                                .getClass()
                                .getAnnotation(Endpoint.class)
                                .defaultAccess())
                        .isEqualTo(Access.READ_ONLY));
    }

    /** Their deduplicators are opened one after the other, the first one with what is configured for all topics. */
    @Configuration(proxyBeanMethods = false)
    static class TwoListeners {
        @KafkaListener(id = "a-paying", groupId = "g", topics = "payments")
        void payments(String payment) {}

        @Bean
        Billing billing() {
            return new Billing();
        }
    }

    static class Billing {
        @KafkaListener(id = "billing", groupId = "g", topics = "orders")
        void orders(String order) {}
    }

    static class BillingToo {
        @KafkaListener(id = "billing-too", groupId = "g", topics = "orders")
        void orders(String order) {}
    }

    static class ByPattern {
        @KafkaListener(id = "all", topicPattern = ".*")
        void all(String message) {}
    }

    private static ApplicationContextRunner withOperator() {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        DataSourceAutoConfiguration.class,
                        DataSourceTransactionManagerAutoConfiguration.class,
                        KafkaAutoConfiguration.class,
                        DedupAutoConfiguration.class,
                        KafkaDedupAutoConfiguration.class,
                        DedupActuatorAutoConfiguration.class))
                .withPropertyValues(
                        "management.endpoints.web.exposure.include=dedup",
                        "spring.datasource.generate-unique-name=true",
                        "spring.kafka.listener.auto-startup=false",
                        "dedup.store=memory",
                        "dedup.checks.broker=false",
                        "dedup.defaults.id=key",
                        "dedup.topics.orders.window=1d",
                        "dedup.topics.payments.window=1d");
    }

    private static Deduplicator deduplicatorOf(ApplicationContext context, String listener) {
        return context.getBean(DeduplicatorRegistry.class).listeners().stream()
                .filter(each -> each.listener().spec().name().equals(listener))
                .findFirst()
                .orElseThrow()
                .servedBy()
                .deduplicator();
    }

    private static DedupOutcome<String> handle(Deduplicator deduplicator, String id) throws Exception {
        return deduplicator.execute(deduplicator.key("orders", id), context -> "handled");
    }

    @Test
    @DisplayName(
            "an operator's command reaches the records of the listener, not those that its topic would have by default")
    void commandsOfAListenersOwnMode() {
        withOperator()
                .withUserConfiguration(TwoListeners.class)
                .withPropertyValues("dedup.listeners.billing.mode=transactional")
                .run(context -> {
                    DedupEndpoint endpoint = context.getBean(DedupEndpoint.class);
                    Deduplicator billing = deduplicatorOf(context, "billing");

                    assertThat(String.valueOf(endpoint.forceDone("g:orders", "lost", null)))
                            .contains("APPLIED");
                    assertThat(handle(billing, "lost")).isInstanceOf(DedupOutcome.Duplicate.class);

                    assertThat(handle(billing, "replayed")).isInstanceOf(DedupOutcome.Handled.class);
                    assertThat(String.valueOf(endpoint.record("g:orders", "replayed")))
                            .startsWith("{jdbc=");
                    assertThat(String.valueOf(endpoint.forget("g:orders", "replayed", null)))
                            .contains("APPLIED");
                    assertThat(handle(billing, "replayed")).isInstanceOf(DedupOutcome.Handled.class);
                });
    }

    @Test
    @DisplayName("of two listeners of a scope, what is forced done counts for the longer window, and both forget")
    void commandsOfTwoWindows() {
        withOperator()
                .withUserConfiguration(TwoListeners.class)
                .withBean(BillingToo.class)
                .withPropertyValues(
                        "dedup.topics.orders.mode=transactional",
                        "dedup.listeners.billing.window=30d",
                        "dedup.listeners.billing-too.window=2d")
                .run(context -> {
                    DedupEndpoint endpoint = context.getBean(DedupEndpoint.class);
                    var unused = endpoint.forceDone("g:orders", "a", null);
                    assertThat(new JdbcTemplate(context.getBean(DataSource.class))
                                    .queryForObject("SELECT expires_at - completed_at FROM dedup_record", Long.class))
                            .isEqualTo(TimeUnit.DAYS.toMicros(30));
                    assertThat(String.valueOf(endpoint.forget("g:orders", "a", null)))
                            .contains("APPLIED");
                    assertThat(handle(deduplicatorOf(context, "billing"), "a"))
                            .isInstanceOf(DedupOutcome.Handled.class);
                    assertThat(handle(deduplicatorOf(context, "billing-too"), "a"))
                            .isInstanceOf(DedupOutcome.Duplicate.class);
                });
    }

    @Test
    @DisplayName("a consumer's name with a colon isn't taken for a topic of a listener that finds topics by a pattern")
    void commandsBesideAPattern() {
        withOperator()
                .withBean(ByPattern.class)
                .withBean(Billing.class)
                .withPropertyValues(
                        "dedup.topics.every.pattern=.*",
                        "dedup.topics.every.window=1d",
                        "dedup.listeners.all.consumer=a",
                        "dedup.listeners.billing.consumer=a:b",
                        "dedup.listeners.billing.mode=transactional")
                .run(context -> {
                    DedupEndpoint endpoint = context.getBean(DedupEndpoint.class);
                    assertThat(String.valueOf(endpoint.forceDone("a:b:orders", "lost", null)))
                            .contains("APPLIED");
                    assertThat(handle(deduplicatorOf(context, "billing"), "lost"))
                            .isInstanceOf(DedupOutcome.Duplicate.class);
                });
    }

    static class Ambiguous {
        @Deduplicated(topic = "b:c", consumer = "a", id = "#id")
        public void one(String id) {}

        @Deduplicated(topic = "c", consumer = "a:b", id = "#id")
        public void other(String id) {}
    }

    @Test
    @DisplayName("a scope that may be that of two listeners is refused, and nothing changes")
    void ambiguousScope() {
        withOperator()
                .withConfiguration(
                        AutoConfigurations.of(AopAutoConfiguration.class, DedupMethodAutoConfiguration.class))
                .withBean(Ambiguous.class)
                .run(context -> {
                    DedupEndpoint endpoint = context.getBean(DedupEndpoint.class);
                    assertThatThrownBy(() -> endpoint.forceDone("a:b:c", "lost", null))
                            .isInstanceOf(InvalidEndpointRequestException.class)
                            .hasMessageContaining("in mode leased");
                });
    }
}

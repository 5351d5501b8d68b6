package io.dedup.examples.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dedup.spring.boot.DedupConfigurationException;
import io.dedup.testservers.kafka.KafkaServers;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import reactor.core.publisher.Flux;
import reactor.util.function.Tuple2;

/** Bindings that would lose messages or let them take effect twice don't start. */
class RefusedTest {
    static class Repeated implements Consumer<String> {
        @Override
        @Retryable
        public void accept(String text) {}
    }

    @TestConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableResilientMethods
    static class App {
        @Bean
        Consumer<String> repeated() {
            return new Repeated();
        }

        @Bean
        Consumer<String> plain() {
            return text -> {};
        }

        @Bean
        Function<Flux<String>, Flux<String>> reactive() {
            return texts -> texts;
        }

        @Bean
        Function<String, String> upper() {
            return text -> text.toUpperCase(Locale.ROOT);
        }

        @Bean
        Consumer<Flux<String>> sink() {
            return texts -> texts.subscribe();
        }

        @Bean
        Function<Tuple2<Flux<String>, Flux<String>>, Tuple2<Flux<String>, Flux<String>>> several() {
            return texts -> texts;
        }
    }

    @ParameterizedTest
    @DisplayName("refused at start, with the setting to change")
    @CsvSource({
        "plain, , it has no group, spring.cloud.stream.bindings.plain-in-0.group",
        "reactive, spring.cloud.stream.bindings.reactive-in-0.group=g, is reactive, Consumer or Function",
        "plain, spring.cloud.stream.bindings.plain-in-0.group=g;dedup.listeners.plain-in-0.enabled=false;dedup.strict=true;spring.cloud.stream.pollable-source=polled;spring.cloud.stream.bindings.polled-in-0.destination=refused;spring.cloud.stream.bindings.polled-in-0.group=g2, has a polled consumer, DedupReceiverInterceptor",
        "upper|sink, spring.cloud.stream.bindings.uppersink-in-0.group=g, is reactive, Consumer or Function",
        "upper|reactive|plain, spring.cloud.stream.bindings.upperreactiveplain-in-0.group=g, is reactive, Consumer or Function",
        "several, spring.cloud.stream.bindings.several-in-0.group=g, is reactive, Consumer or Function",
        "plain, spring.cloud.stream.bindings.plain-in-0.group=g;spring.cloud.stream.kafka.bindings.plain-in-0.consumer.ack-mode=MANUAL;spring.cloud.stream.kafka.bindings.plain-in-0.consumer.enable-dlq=true, manual ack mode, enable-dlq",
        "plain, spring.cloud.stream.bindings.plain-in-0.group=g;dedup.topics.refused.mode=transactional, spring.cloud.stream.bindings.plain-in-0.consumer.max-attempts, new transaction",
        "repeated, spring.cloud.stream.bindings.repeated-in-0.group=g;dedup.topics.refused.mode=transactional;spring.cloud.stream.bindings.repeated-in-0.consumer.max-attempts=1, RetryAnnotationInterceptor of function repeated) within one transaction of a transactional mode, new transaction",
        "upper|repeated, spring.cloud.stream.bindings.upperrepeated-in-0.group=g;spring.cloud.stream.kafka.binder.required-acks=all;spring.cloud.stream.kafka.binder.transaction.transaction-id-prefix=tx-, RetryAnnotationInterceptor of function upper|repeated) within one transaction of Kafka, new transaction",
        "plain, spring.cloud.stream.bindings.plain-in-0.group=g;spring.cloud.stream.bindings.plain-in-0.consumer.batch-mode=true;spring.cloud.stream.kafka.binder.required-acks=all;spring.cloud.stream.kafka.binder.transaction.transaction-id-prefix=tx-, in a Kafka transaction, afterRollbackProcessor"
    })
    void refused(String function, String settings, String problem, String action) {
        String[] arguments = ("spring.main.web-application-type=none;spring.kafka.bootstrap-servers="
                        + KafkaServers.shared().bootstrapServers()
                        + ";spring.datasource.url=jdbc:h2:mem:refused;dedup.store=jdbc;dedup.jdbc.initialize-schema=always"
                        + ";spring.config.name=none;spring.cloud.function.definition=" + function
                        + ";spring.cloud.stream.bindings." + function.replace("|", "") + "-in-0.destination=refused"
                        + ";dedup.topics.refused.id=key"
                        + (settings == null ? "" : ";" + settings))
                .split(";");
        for (int i = 0; i < arguments.length; i++) {
            arguments[i] = "--" + arguments[i];
        }
        assertThatThrownBy(() ->
                        new SpringApplicationBuilder(App.class).run(arguments).close())
                .rootCause()
                .isInstanceOfSatisfying(DedupConfigurationException.class, refusal -> {
                    assertThat(refusal).hasMessageContaining(problem);
                    assertThat(refusal.action()).contains(action);
                });
    }
}

package io.dedup.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.DedupCall;
import io.dedup.adapter.DedupAdapter;
import io.dedup.policy.DedupMode;
import io.dedup.policy.DedupPolicy;
import io.dedup.policy.OnStoreFailure;
import io.dedup.policy.Window;
import io.dedup.spring.boot.Deduplicated;
import io.dedup.spring.boot.internal.deduplicator.DeduplicatedListener;
import io.dedup.spring.boot.internal.deduplicator.DeduplicatorRegistry;
import io.dedup.spring.boot.internal.deduplicator.ServingDeduplicator;
import io.dedup.spring.boot.internal.plan.PlannedListener;
import io.dedup.spring.boot.internal.plan.TopicPlan;
import io.dedup.spring.boot.internal.store.DedupStores;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.kafka.annotation.KafkaListener;

/** Listeners that don't start: everything that is decided before a broker is asked. */
class ConfigurationTest {
    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    KafkaAutoConfiguration.class, DedupAutoConfiguration.class, KafkaDedupAutoConfiguration.class))
            .withUserConfiguration(Listeners.class)
            .withPropertyValues(
                    "dedup.store=memory", "spring.kafka.listener.auto-startup=false", "dedup.checks.broker=false");

    @Configuration(proxyBeanMethods = false)
    static class Listeners {
        @Bean
        OrderListeners orderListeners() {
            return new OrderListeners();
        }
    }

    static class OrderListeners {
        @KafkaListener(id = "billing", topics = "orders")
        void orders(String order) {}

        @KafkaListener(
                id = "under",
                topics = {"my_topic", "my.topic"})
        void under(String order) {}

        @KafkaListener(id = "audit", topicPattern = "audit-.*")
        void audit(String order) {}

        @Deduplicated(id = "header:${id.header:click-id}", window = "10m", mode = DedupMode.LEASED)
        @KafkaListener(id = "clicks", topics = "clicks")
        void clicks(String click) {}

        @Deduplicated(enabled = false)
        @KafkaListener(id = "raw", topics = "orders")
        void raw(String order) {}
    }

    @Test
    void defaultsTopicsPatternsAndListenersAreLayers() {
        runner.withPropertyValues(
                        "dedup.defaults.lease=10s",
                        "dedup.defaults.window=1h",
                        "dedup.defaults.onStoreFailure=PAUSE",
                        "dedup.listeners.audit.enabled=false",
                        "dedup.topics.all.pattern=or.*",
                        "dedup.topics.all.id=key",
                        "dedup.topics.all.window=2h",
                        "dedup.topics.orders.id=header:order-id",
                        "dedup.topics.orders.in_flight_wait=3s",
                        "dedup.listeners.billing.window=forever")
                .run(context -> {
                    Plan billing = plan(context.getBean(DeduplicatorRegistry.class), "billing", "orders");
                    assertThat(billing.plan().id()).hasToString("header:order-id");
                    DedupPolicy policy = billing.plan().policy();
                    assertThat(policy.lease()).isEqualTo(Duration.ofSeconds(10));
                    assertThat(policy.inFlightWait()).isEqualTo(Duration.ofSeconds(3));
                    assertThat(policy.window().isForever()).isTrue();
                    assertThat(policy.onStoreFailure()).isEqualTo(OnStoreFailure.PAUSE);
                    assertThat(billing.listener().consumer()).isEqualTo("billing");
                    assertThat(billing.servedBy()
                                    .deduplicator()
                                    .topic("orders")
                                    .policy()
                                    .toString())
                            .isEqualTo(policy.toString());
                });
    }

    @Test
    void anAnnotationConfiguresOrSwitchesOff() {
        runner.withPropertyValues("dedup.topics.orders.id=key", "id.header=click")
                .run(context -> {
                    DeduplicatorRegistry registry = context.getBean(DeduplicatorRegistry.class);
                    TopicPlan clicks = plan(registry, "clicks", "clicks").plan();
                    assertThat(clicks.id()).hasToString("header:click");
                    assertThat(clicks.policy().window().duration()).isEqualTo(Duration.ofMinutes(10));
                    assertThat(names(registry)).containsExactlyInAnyOrder("billing", "clicks");
                });
    }

    @Test
    @DisplayName("K18 deduplicators with messages in flight are waited for within one shutdown timeout")
    void closesWithinOneTimeout() {
        runner.withPropertyValues(
                        "dedup.defaults.id=key",
                        "dedup.topics.orders.window=1h",
                        "dedup.topics.my_topic.window=1h",
                        "dedup.topics.[my.topic].window=1h",
                        "dedup.listeners.raw.enabled=true",
                        "dedup.shutdown-timeout=1s")
                .run(context -> {
                    DeduplicatorRegistry registry = context.getBean(DeduplicatorRegistry.class);
                    assertThat(registry.deduplicators()).hasSizeGreaterThanOrEqualTo(4);
                    for (ServingDeduplicator serving : registry.deduplicators()) {
                        var unused = serving.deduplicator()
                                .executeAsync(
                                        DedupCall.<String>of(serving.deduplicator()
                                                .key(
                                                        "orders",
                                                        serving.deduplicator().consumer())),
                                        running -> new CompletableFuture<String>());
                    }
                    assertThat(registry.deduplicators())
                            .allMatch(serving ->
                                    DedupAdapter.of(serving.deduplicator()).inFlight() == 1);
                    long from = System.nanoTime();
                    registry.close();
                    assertThat(Duration.ofNanos(System.nanoTime() - from))
                            .isBetween(Duration.ofSeconds(1), Duration.ofSeconds(3));
                });
    }

    @Test
    void anOperatorHasTheLastWord() {
        runner.withPropertyValues(
                        "dedup.listeners.clicks.id=key",
                        "dedup.listeners.clicks.consumer=click-counter",
                        "dedup.listeners.raw.enabled=true",
                        "dedup.listeners.raw.id=key")
                .run(context -> {
                    DeduplicatorRegistry registry = context.getBean(DeduplicatorRegistry.class);
                    assertThat(plan(registry, "clicks", "clicks").plan().id()).hasToString("key");
                    assertThat(plan(registry, "clicks", "clicks").listener().consumer())
                            .isEqualTo("click-counter");
                    assertThat(names(registry)).containsExactlyInAnyOrder("raw", "clicks");
                });
    }

    @Test
    void environmentVariablesBind() {
        Map<String, Object> variables = new HashMap<>();
        variables.put("DEDUP_TOPICS_ORDERS_ID", "header:order-id");
        variables.put("DEDUP_TOPICS_ORDERS_MAXPROCESSINGTIME", "20m");
        runner.withInitializer(context -> {
                    context.getEnvironment()
                            .getPropertySources()
                            .addFirst(new SystemEnvironmentPropertySource("test-systemEnvironment", variables));
                    ConfigurationPropertySources.attach(context.getEnvironment());
                })
                .run(context -> assertThat(plan(context.getBean(DeduplicatorRegistry.class), "billing", "orders")
                                .plan()
                                .policy()
                                .maxProcessingTime())
                        .isEqualTo(Duration.ofMinutes(20)));
    }

    @Test
    void namesWithOtherCharactersAreInBrackets() {
        runner.withPropertyValues("dedup.topics.[my_topic].id=key", "dedup.topics.[my.topic].id=header:id")
                .run(context -> assertThat(plan(context.getBean(DeduplicatorRegistry.class), "under", "my.topic")
                                .plan()
                                .id())
                        .hasToString("header:id"));
    }

    @Test
    void aPatternListenerIsDeduplicatedByTheSamePattern() {
        runner.withPropertyValues("dedup.topics.audit.pattern=audit-.*", "dedup.topics.audit.id=key")
                .run(context -> {
                    ServingDeduplicator serving = served(context.getBean(DeduplicatorRegistry.class), "audit")
                            .servedBy();
                    assertThat(serving.others()).isNotNull();
                    assertThat(serving.others().id()).hasToString("key");
                });
    }

    @Test
    void aNamedTopicThatAPatternListenerFindsKeepsItsSettings() {
        runner.withPropertyValues(
                        "dedup.defaults.id=key",
                        "dedup.topics.[audit-a].id=header:payment-id",
                        "dedup.topics.[audit-a].window=forever",
                        "dedup.listeners.audit.lease=1m")
                .run(context -> {
                    ServingDeduplicator serving = served(context.getBean(DeduplicatorRegistry.class), "audit")
                            .servedBy();
                    TopicPlan named = serving.plan("audit-a");
                    assertThat(named.id()).hasToString("header:payment-id");
                    assertThat(named.policy().window()).isEqualTo(Window.forever());
                    assertThat(named.policy().lease()).isEqualTo(Duration.ofMinutes(1));
                    TopicPlan other = serving.plan("audit-b");
                    assertThat(other.id()).hasToString("key");
                    assertThat(other.policy().window()).isNotEqualTo(Window.forever());
                    assertThat(serving.deduplicator().topic("audit-a").policy().window())
                            .isEqualTo(Window.forever());
                });
    }

    @Test
    void aPatternListenerMayReplaceAllThatAnEntryForSomeOfItsTopicsSets() {
        runner.withPropertyValues(
                        "dedup.topics.some.pattern=audit-e.*",
                        "dedup.topics.some.id=header:payment-id",
                        "dedup.topics.some.window=forever",
                        "dedup.listeners.audit.id=key",
                        "dedup.listeners.audit.window=1h")
                .run(context -> assertThat(served(context.getBean(DeduplicatorRegistry.class), "audit")
                                .servedBy()
                                .plan("audit-eu")
                                .id())
                        .hasToString("key"));
    }

    @Test
    void nothingIsOpenedWhereNothingIsConfigured() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        KafkaAutoConfiguration.class, DedupAutoConfiguration.class, KafkaDedupAutoConfiguration.class))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context.getBean(DedupStores.class).storeOrNull()).isNull();
                });
        runner.withPropertyValues("dedup.enabled=false", "dedup.topics.orders.id=nonsense")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(DeduplicatorRegistry.class));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            dedup.topics.orders.window=7d                                             | dedup.topics.orders.id isn't set, and neither is dedup.defaults.id
            dedup.topics.orders.id=heder:x                                            | dedup.topics.orders.id is invalid: "heder" is not a known kind of message ID
            dedup.topics.orders.id=keys                                               | dedup.topics.orders.id is invalid: keys is only for RocketMQ
            dedup.topics.orders.id=key,dedup.topics.orders.lease=1ms                  | dedup.topics.orders.lease is invalid: lease must be from 10ms to 24h, but is 1ms
            dedup.topics.orders.id=key,dedup.topics.orders.mode=transactional,dedup.topics.orders.on-store-failure=process | on-store-failure process cannot be combined with mode transactional
            dedup.topics.orders.id=key,dedup.topics.orders.mode=transactional,dedup.topics.orders.window=1m | window (1m) must be longer than max-processing-time (5m) in mode transactional
            dedup.topics.orders.id=key,dedup.topics.orders.lease=10m                  | dedup.topics.orders: max-processing-time (5m) must not be shorter than lease (10m)
            dedup.defaults.id=key,dedup.listeners.billing.max-deaths=-1               | dedup.listeners.billing.max-deaths is invalid
            dedup.topics.a.pattern=[,dedup.topics.a.id=key                            | dedup.topics.a.pattern is not a regular expression
            dedup.topics.a.pattern=a,dedup.topics.a.topic=a,dedup.topics.a.id=key     | dedup.topics.a has both a topic and a pattern
            dedup.defaults.id=key,dedup.topics.a.topic=orders,dedup.topics.orders.window=1h | are both for topic orders
            dedup.topics.mytopic.id=key                                               | dedup.topics.mytopic is for topic mytopic, which no listener subscribes to. There is a topic my
            dedup.topics.Orders.id=key                                                | dedup.topics.Orders is for topic Orders, which no listener subscribes to. There is a topic orders
            dedup.topics.[my_topic].id=key                                            | Listener under reads topics that are deduplicated, [my_topic], and topics that are not, [my.topic]
            dedup.listeners.bil_ling.id=key                                           | dedup.listeners.bil_ling
            dedup.topics.[audit-a].id=key                                             | Listener audit finds its topics by the pattern audit-.*, but dedup.topics.audit-a may apply to only some
            dedup.topics.some.pattern=audit-e.*,dedup.topics.some.id=key,dedup.topics.some.window=forever,dedup.listeners.audit.id=key | Listener audit finds its topics by the pattern audit-.*, but dedup.topics.some may apply to only some
            dedup.topics.[audit-a].enabled=false,dedup.listeners.audit.id=key         | Listener audit reads topics that are deduplicated, /audit-.*/, and topics that are not, [audit-a]
            dedup.listeners.raw.enabled=true,dedup.listeners.raw.id=key,dedup.listeners.raw.consumer=billing,dedup.topics.orders.id=key | read the same topics under the consumer name billing
            dedup.topics.orders.id=key,dedup.topics.orders.mode=transactional         | Mode transactional
            dedup.topics.orders.id=bean:nobody                                        | there is no MessageIdExtractor bean nobody
            dedup.topics.orders.id=key,dedup.kafka.max-unfinished-per-partition=0     | dedup.kafka.max-unfinished-per-partition is 0
            """)
    void refusals(String properties, String message) {
        runner.withPropertyValues(properties.split(",(?=dedup)")).run(context -> {
            if (properties.startsWith("dedup.listeners.bil_ling")) {
                assertThat(context).hasFailed();
                assertThat(analysis(context.getStartupFailure()).getDescription())
                        .contains("bil");
                return;
            }
            assertThat(context).hasFailed();
            FailureAnalysis analysis = analysis(context.getStartupFailure());
            assertThat(analysis.getDescription()).contains(message);
            assertThat(analysis.getAction()).isNotBlank();
        });
    }

    static class Similar {
        @KafkaListener(id = "pay-in", topics = "orders-eu")
        void hyphen(String order) {}

        @KafkaListener(id = "payIn", topics = "orders_eu")
        void underscore(String order) {}

        @KafkaListener(id = "small", topics = "orders")
        void small(String order) {}

        @KafkaListener(id = "capital", topics = "Orders")
        void capital(String order) {}
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            dedup.topics.orders-eu.id=key,dedup.topics.orders_eu.window=30d                   | dedup.topics has the entries orders-eu and orders_eu
            dedup.topics.orders.window=1d,dedup.topics.Orders.enabled=false                   | dedup.topics has the entries orders and Orders
            dedup.topics.orders_eu.topic=a,dedup.topics.[orderseu].topic=b                    | dedup.topics has the entries orders_eu and orderseu
            dedup.listeners.pay-in.window=1d,dedup.listeners.payIn.shadow=true                | dedup.listeners has the entries pay-in and payIn
            dedup.http.paths.pay-in.path=/a,dedup.http.paths.payIn.path=/b                    | dedup.http.paths has the entries pay-in and payIn
            dedup.privacy.result-keys.k-1=a,dedup.privacy.result-keys.K1=b                    | dedup.privacy.result-keys has the entries k-1 and K1
            """)
    @DisplayName("entries that Spring Boot confuses, because it ignores capitals, hyphens and underscores, are refused")
    void similarNames(String properties, String message) {
        runner.withUserConfiguration(Similar.class)
                .withPropertyValues("dedup.defaults.id=key")
                .withPropertyValues(properties.split(","))
                .run(context -> {
                    assertThat(context).hasFailed();
                    FailureAnalysis analysis = analysis(context.getStartupFailure());
                    assertThat(analysis.getDescription()).contains(message);
                    assertThat(analysis.getAction()).contains("in brackets wherever");
                });
    }

    @Test
    @DisplayName(
            "an environment variable beside an entry with hyphens is refused, and one beside an entry without isn't")
    void similarNamesInTheEnvironment() {
        ApplicationContextRunner set = runner.withInitializer(context -> context.getEnvironment()
                .getPropertySources()
                .addFirst(new SystemEnvironmentPropertySource(
                        "test-systemEnvironment", Map.of("DEDUP_TOPICS_ORDERS_WINDOW", "30d"))));
        set.withPropertyValues("dedup.topics.orders.id=key", "dedup.topics.orders.window=1d")
                .run(context -> assertThat(plan(context.getBean(DeduplicatorRegistry.class), "billing", "orders")
                                .plan()
                                .policy()
                                .window()
                                .duration())
                        .isEqualTo(Duration.ofDays(30)));
        set.withPropertyValues("dedup.topics.or-ders.id=key", "dedup.topics.or-ders.topic=orders")
                .run(context -> assertThat(analysis(context.getStartupFailure()).getAction())
                        .contains("environment variables have neither capitals nor hyphens"));
    }

    @Test
    @DisplayName("entries in brackets have their own settings, however similar their names are")
    void similarNamesInBrackets() {
        runner.withUserConfiguration(Similar.class)
                .withPropertyValues(
                        "dedup.topics.[orders-eu].id=key",
                        "dedup.topics.[orders-eu].window=1d",
                        "dedup.topics.[orders_eu].id=header:payment-id",
                        "dedup.topics.[orders_eu].window=2d",
                        "dedup.topics.orders.id=header:a",
                        "dedup.topics.orders.window=3d",
                        "dedup.topics.[Orders].id=header:b",
                        "dedup.topics.[Orders].window=4d",
                        "dedup.listeners.[pay-in].lease=1m",
                        "dedup.listeners.[payIn].lease=2m")
                .run(context -> {
                    DeduplicatorRegistry registry = context.getBean(DeduplicatorRegistry.class);
                    assertSettings(plan(registry, "pay-in", "orders-eu").plan(), "key", 1, 60);
                    assertSettings(plan(registry, "payIn", "orders_eu").plan(), "header:payment-id", 2, 120);
                    assertSettings(plan(registry, "small", "orders").plan(), "header:a", 3, 30);
                    assertSettings(plan(registry, "capital", "Orders").plan(), "header:b", 4, 30);
                });
    }

    private static void assertSettings(TopicPlan plan, String id, int windowDays, int leaseSeconds) {
        assertThat(plan.id()).hasToString(id);
        assertThat(plan.policy().window().duration()).isEqualTo(Duration.ofDays(windowDays));
        assertThat(plan.policy().lease()).isEqualTo(Duration.ofSeconds(leaseSeconds));
    }

    @ParameterizedTest
    @CsvSource({
        "dedup.topics.orders.windw=7d,windw",
        "dedup.topics.orders.window=7,a window must be a duration with its unit",
        "'dedup.topics.orders.window=-1s','window must be from 1 ms to 36500 days, or forever, but is -1s'",
        "dedup.topics.orders.mode=both,DedupMode",
        "dedup.stor=redis,dedup.stor"
    })
    void bindingRefuses(String property, String message) {
        runner.withPropertyValues("dedup.topics.orders.id=key", property).run(context -> {
            assertThat(context).hasFailed();
            assertThat(context.getStartupFailure()).hasStackTraceContaining(message);
        });
    }

    @Test
    void unusedEntriesAreWarnedOfAndStrictRefusesThem() {
        runner.withPropertyValues("dedup.topics.nobody.id=key")
                .run(context -> assertThat(context).hasNotFailed());
        runner.withPropertyValues("dedup.topics.nobody.id=key", "dedup.strict=true")
                .run(context -> assertThat(analysis(context.getStartupFailure()).getDescription())
                        .contains("dedup.topics.nobody is set, but no listener subscribes to topic nobody"));
    }

    private record Plan(PlannedListener listener, ServingDeduplicator servedBy, TopicPlan plan) {}

    private static Plan plan(DeduplicatorRegistry registry, String listener, String topic) {
        DeduplicatedListener served = served(registry, listener);
        return new Plan(
                served.listener(),
                served.servedBy(),
                served.listener().byTopic().get(topic));
    }

    private static DeduplicatedListener served(DeduplicatorRegistry registry, String listener) {
        return registry.listeners().stream()
                .filter(each -> each.listener().spec().name().equals(listener))
                .findFirst()
                .orElseThrow();
    }

    private static Stream<String> names(DeduplicatorRegistry registry) {
        return registry.listeners().stream().map(each -> each.listener().spec().name());
    }

    static FailureAnalysis analysis(@Nullable Throwable failure) {
        FailureAnalysis analysis = new DedupConfigurationFailureAnalyzer().analyze(failure);
        assertThat(analysis).as("%s", failure).isNotNull();
        return analysis;
    }
}

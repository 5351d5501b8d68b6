package io.dedup.spring.boot.autoconfigure;

import static io.dedup.spring.boot.autoconfigure.ConfigurationTest.analysis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupListener;
import io.dedup.RunReference;
import io.dedup.spring.boot.Deduplicated;
import io.dedup.spring.boot.internal.tracing.TraceLinks;
import io.dedup.testservers.kafka.KafkaServers;
import io.dedup.testservers.redis.RedisServers;
import io.dedup.testservers.sql.PostgresServers;
import io.dedup.testservers.sql.SqlDatabase;
import io.micrometer.tracing.TraceContext;
import io.micrometer.tracing.Tracer;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.listener.MessageListenerContainer;

/** A skipped duplicate's span is linked to the span that its message was handled in. */
class TracingTest {
    private static final String PREFIX =
            "traced-" + UUID.randomUUID().toString().substring(0, 8) + "-";
    private static final InMemorySpanExporter SPANS = InMemorySpanExporter.create();
    /** The spans that values were handled in, by value. */
    private static final Map<String, TraceContext> HANDLED = new ConcurrentHashMap<>();

    private static final List<Integer> KEYS_CLAIMED = new CopyOnWriteArrayList<>();

    private static @Nullable ConfigurableApplicationContext app;

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class TracedApp {
        private final Tracer tracer;

        TracedApp(Tracer tracer) {
            this.tracer = tracer;
        }

        @KafkaListener(id = "leased", topics = "${prefix}leased")
        void leased(String value) {
            handled(value);
        }

        @KafkaListener(id = "transactional", topics = "${prefix}transactional")
        void transactional(String value) {
            handled(value);
        }

        @KafkaListener(id = "tiered", topics = "${prefix}tiered")
        void tiered(String value) {
            handled(value);
        }

        private void handled(String value) {
            HANDLED.put(value, tracer.currentSpan().context());
        }

        @Bean
        static SpanProcessor exported() {
            return SimpleSpanProcessor.create(SPANS);
        }

        @Bean
        static DedupListener claims() {
            return new DedupListener() {
                @Override
                public void storeCalled(String operation, int keys, Duration took) {
                    if (operation.equals("claim")) {
                        KEYS_CLAIMED.add(keys);
                    }
                }
            };
        }
    }

    @BeforeAll
    static void start() {
        SqlDatabase database = PostgresServers.newDatabase();
        for (String mode : List.of("leased", "transactional", "tiered")) {
            KafkaServers.shared().createTopic(PREFIX + mode, 1, Map.of("retention.ms", "3600000"));
        }
        app = new SpringApplication(TracedApp.class)
                .run(
                        "--prefix=" + PREFIX,
                        "--spring.main.web-application-type=none",
                        "--spring.kafka.bootstrap-servers="
                                + KafkaServers.shared().bootstrapServers(),
                        "--spring.kafka.consumer.auto-offset-reset=earliest",
                        "--spring.kafka.listener.observation-enabled=true",
                        "--spring.data.redis.host=" + RedisServers.shared().host(),
                        "--spring.data.redis.port=" + RedisServers.shared().port(),
                        "--spring.datasource.url=" + database.jdbcUrl(),
                        "--spring.datasource.username=" + database.user(),
                        "--spring.datasource.password=" + database.password(),
                        "--management.tracing.sampling.probability=1.0",
                        "--dedup.store=tiered",
                        "--dedup.redis.namespace=" + PREFIX,
                        "--dedup.redis.command-timeout=20s", // a busy machine
                        "--dedup.jdbc.initialize-schema=always",
                        "--dedup.defaults.window=1h",
                        "--dedup.tracing.link-duplicates=true",
                        "--dedup.topics.leased.topic=" + PREFIX + "leased",
                        "--dedup.topics.leased.id=key",
                        "--dedup.topics.leased.mode=leased",
                        "--dedup.topics.transactional.topic=" + PREFIX + "transactional",
                        "--dedup.topics.transactional.id=key",
                        "--dedup.topics.transactional.mode=transactional",
                        "--dedup.topics.tiered.topic=" + PREFIX + "tiered",
                        "--dedup.topics.tiered.id=key");
    }

    @AfterAll
    static void stop() {
        if (app != null) {
            app.close();
        }
    }

    @SuppressWarnings("unchecked")
    private static void send(String mode, String key, String value) {
        app.getBean(KafkaTemplate.class)
                .send(PREFIX + mode, key, value)
                .orTimeout(60, TimeUnit.SECONDS)
                .join();
    }

    private static void awaitHandled(String value) {
        await().until(() -> HANDLED.containsKey(value));
    }

    /** The spans of the duplicates of a topic that are linked to this run. */
    private static List<SpanData> linkedTo(String mode, TraceContext first) {
        return SPANS.getFinishedSpanItems().stream()
                .filter(span -> span.getName().equals(TraceLinks.SPAN))
                .filter(span -> (PREFIX + mode).equals(tag(span, TraceLinks.TOPIC)))
                .filter(span -> span.getLinks().stream()
                        .map(LinkData::getSpanContext)
                        .anyMatch(context -> context.getTraceId().equals(first.traceId())
                                && context.getSpanId().equals(first.spanId())))
                .toList();
    }

    private static @Nullable String tag(SpanData span, String name) {
        return span.getAttributes().get(AttributeKey.stringKey(name));
    }

    @ParameterizedTest
    @ValueSource(strings = {"leased", "transactional", "tiered"})
    void aDuplicateIsLinkedToTheFirstRun(String mode) {
        send(mode, "k", mode + "-first");
        awaitHandled(mode + "-first");
        send(mode, "k", mode + "-duplicate");
        send(mode, "other", mode + "-last");
        awaitHandled(mode + "-last");

        TraceContext first = HANDLED.get(mode + "-first");
        assertThat(HANDLED).doesNotContainKey(mode + "-duplicate");
        assertThat(linkedTo(mode, first)).singleElement().satisfies(span -> {
            assertThat(tag(span, TraceLinks.CONSUMER)).isEqualTo(mode);
            assertThat(tag(span, TraceLinks.FIRST_TRACE)).isEqualTo(first.traceId());
            assertThat(tag(span, TraceLinks.FIRST_SPAN)).isEqualTo(first.spanId());
            assertThat(tag(span, TraceLinks.FIRST_COMPLETED)).isNotBlank();
            // Within the span of the duplicate's own delivery, which is no part of the first one's trace.
            assertThat(span.getTraceId()).isNotEqualTo(first.traceId());
            await().untilAsserted(() -> assertThat(SPANS.getFinishedSpanItems())
                    .anyMatch(delivery -> delivery.getSpanId().equals(span.getParentSpanId())
                            && delivery.getName().startsWith(PREFIX + mode)));
        });
    }

    @Test
    @DisplayName("of a poll that is claimed ahead: what was done before, and what a copy in the same poll follows")
    void claimedAhead() throws InterruptedException {
        send("leased", "ahead-1", "ahead-first");
        awaitHandled("ahead-first");
        MessageListenerContainer container =
                app.getBean(KafkaListenerEndpointRegistry.class).getListenerContainer("leased");
        container.stop();
        await().until(() -> !container.isRunning());
        send("leased", "ahead-1", "ahead-duplicate");
        send("leased", "ahead-2", "ahead-second");
        send("leased", "ahead-2", "ahead-copy");
        send("leased", "ahead-3", "ahead-last");
        KEYS_CLAIMED.clear();
        container.start();
        awaitHandled("ahead-last");

        assertThat(KEYS_CLAIMED).anyMatch(keys -> keys > 1);
        assertThat(linkedTo("leased", HANDLED.get("ahead-first"))).hasSize(1);
        assertThat(linkedTo("leased", HANDLED.get("ahead-second"))).hasSize(1);
        assertThat(HANDLED).doesNotContainKeys("ahead-duplicate", "ahead-copy");
    }

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    DedupAutoConfiguration.class,
                    DedupMethodAutoConfiguration.class,
                    DedupTracingAutoConfiguration.class))
            .withPropertyValues("dedup.store=memory");

    @Test
    void nothingIsKeptUnlessItIsWanted() {
        runner.withBean(Tracer.class, () -> Tracer.NOOP)
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(TraceLinks.class));
        runner.withBean(Tracer.class, () -> Tracer.NOOP)
                .withPropertyValues("dedup.tracing.link-duplicates=true")
                .run(context -> assertThat(context).hasSingleBean(TraceLinks.class));
    }

    /** Without anything to deduplicate, a strict start fails for that reason. */
    static class Mails {
        @Deduplicated(topic = "mails", consumer = "mails", id = "#id")
        public void send(String id) {}
    }

    @Test
    void aTracerThatIsNotThere() {
        ApplicationContextRunner wanted =
                runner.withBean(Mails.class).withPropertyValues("dedup.tracing.link-duplicates=true");
        wanted.run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(TraceLinks.class));
        wanted.withPropertyValues("dedup.strict=true")
                .run(context -> assertThat(analysis(context.getStartupFailure()).getDescription())
                        .contains("dedup.tracing.link-duplicates is true, but there is no Tracer"));
    }

    @Test
    void anApplicationsOwnReferenceIsKeptInstead() {
        runner.withBean(Mails.class)
                .withBean(Tracer.class, () -> Tracer.NOOP)
                .withBean(RunReference.class, () -> () -> "own")
                .withPropertyValues("dedup.tracing.link-duplicates=true", "dedup.strict=true")
                .run(context -> assertThat(analysis(context.getStartupFailure()).getDescription())
                        .contains("own RunReference bean is used instead"));
    }
}

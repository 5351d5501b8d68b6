package io.dedup.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.spring.boot.Deduplicated;
import io.dedup.spring.boot.internal.deduplicator.DeduplicatorRegistry;
import io.dedup.spring.boot.internal.kafka.KafkaIds;
import io.dedup.spring.boot.internal.rocketmqclients.RocketMqIds;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.aot.test.generate.TestGenerationContext;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.test.tools.CompileWithForkedClassLoader;
import org.springframework.core.test.tools.TestCompiler;
import org.springframework.kafka.annotation.KafkaListener;

/** What is processed ahead of time works as what is configured when it starts. */
@CompileWithForkedClassLoader
class AotTest {
    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        KafkaAutoConfiguration.class,
        DedupAutoConfiguration.class,
        KafkaDedupAutoConfiguration.class,
        RocketMqDedupAutoConfiguration.class,
        DedupActuatorAutoConfiguration.class,
        DedupTracingAutoConfiguration.class
    })
    static class App {
        @Deduplicated(window = "3h")
        @KafkaListener(id = "billing", topics = "orders")
        void orders(String order) {}
    }

    private static <T extends GenericApplicationContext> T configured(T context) {
        TestPropertyValues.of(
                        "dedup.store=memory",
                        "dedup.checks.broker=false",
                        "dedup.topics.orders.id=spel:value",
                        "spring.kafka.listener.auto-startup=false",
                        "management.endpoints.web.exposure.include=dedup")
                .applyTo(context);
        return context;
    }

    @Test
    void listenersAreDeduplicated() {
        AnnotationConfigApplicationContext context = configured(new AnnotationConfigApplicationContext());
        context.register(App.class);
        TestGenerationContext generation = new TestGenerationContext();
        var initializer = new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
        generation.writeGeneratedContent();

        TestCompiler.forSystem().with(generation).compile(compiled -> {
            try (GenericApplicationContext fresh = configured(new GenericApplicationContext())) {
                @SuppressWarnings("unchecked")
                ApplicationContextInitializer<GenericApplicationContext> start =
                        compiled.getInstance(ApplicationContextInitializer.class, initializer.reflectionName());
                start.initialize(fresh);
                fresh.refresh();
                assertThat(fresh.getBean(DeduplicatorRegistry.class).listeners())
                        .singleElement()
                        .satisfies(served -> assertThat(served.listener()
                                        .byTopic()
                                        .get("orders")
                                        .policy()
                                        .window())
                                .hasToString("PT3H"));
            }
        });

        RuntimeHints hints = generation.getRuntimeHints();
        assertThat(RuntimeHintsPredicates.resource().forResource("io/dedup/store/jdbc/schema-postgresql.sql"))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.resource().forResource("io/dedup/store/redis/internal/record/claim.lua"))
                .accepts(hints);
        assertThat(hints.reflection().getTypeHint(KafkaIds.Message.class))
                .satisfies(
                        hint -> assertThat(hint.getMemberCategories()).contains(MemberCategory.INVOKE_PUBLIC_METHODS));
    }

    /** A name of spring-kafka's that changes would otherwise be noticed in a native image only. */
    @Test
    void hintsNameTypesThatAreThere() {
        RuntimeHints hints = new RuntimeHints();
        new DedupRuntimeHints().registerHints(hints, getClass().getClassLoader());
        assertThat(hints.reflection().typeHints())
                .isNotEmpty()
                .allSatisfy(hint ->
                        assertThat(Class.forName(hint.getType().getName())).isNotNull());
    }

    /** The older client's messages are read by the same expressions, also where the newer client is absent. */
    @Test
    void expressionsReadMessagesOfEitherClient() {
        RuntimeHints hints = new RuntimeHints();
        new DedupRuntimeHints().registerHints(hints, new FilteredClassLoader("org.apache.rocketmq.client.apis"));
        assertThat(hints.reflection().getTypeHint(RocketMqIds.Message.class))
                .satisfies(
                        hint -> assertThat(hint.getMemberCategories()).contains(MemberCategory.INVOKE_PUBLIC_METHODS));
    }
}

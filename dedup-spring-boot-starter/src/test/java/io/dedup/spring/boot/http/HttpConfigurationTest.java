package io.dedup.spring.boot.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.policy.OnConflict;
import io.dedup.spring.boot.DedupConfigurationException;
import io.dedup.spring.boot.internal.deduplicator.DeduplicatorRegistry;
import io.dedup.spring.boot.internal.http.HttpEntries;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.util.ClassUtils;

/** Entries of {@code dedup.http.paths} that are refused, and why. */
class HttpConfigurationTest {
    private static final List<String> RIGHT = List.of(
            "dedup.store=memory",
            "dedup.checks.broker=false",
            "spring.kafka.listener.auto-startup=false",
            "dedup.http.defaults.consumer=api",
            "dedup.http.defaults.scope-by=none",
            "dedup.http.paths.[/payments].window=1h");

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(KafkaAutoConfiguration.class)
    static class Listener {
        @KafkaListener(id = "booking", topics = "payments")
        void book(String payment) {}
    }

    private static WebApplicationContextRunner application(List<String> properties) {
        return new WebApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(autoConfigurations()))
                .withPropertyValues(properties.toArray(String[]::new));
    }

    /** They aren't public. */
    private static Class<?>[] autoConfigurations() {
        List<Class<?>> all = new ArrayList<>();
        for (String name :
                List.of("DedupAutoConfiguration", "KafkaDedupAutoConfiguration", "HttpDedupAutoConfiguration")) {
            all.add(ClassUtils.resolveClassName("io.dedup.spring.boot.autoconfigure." + name, null));
        }
        return all.toArray(Class<?>[]::new);
    }

    private static List<String> with(String... more) {
        List<String> properties = new ArrayList<>(RIGHT);
        properties.addAll(List.of(more));
        return properties;
    }

    private static void refused(WebApplicationContextRunner application, String... problem) {
        application.run(context -> {
            assertThat(context).hasFailed();
            Throwable cause = context.getStartupFailure();
            while (!(cause instanceof DedupConfigurationException) && cause.getCause() != null) {
                cause = cause.getCause();
            }
            assertThat(cause).isInstanceOf(DedupConfigurationException.class);
            assertThat(cause.getMessage() + " " + ((DedupConfigurationException) cause).action())
                    .contains(problem);
        });
    }

    @Test
    @DisplayName("without a path there is no filter")
    void off() {
        application(List.of("dedup.store=memory", "dedup.http.header=X-Key"))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(FilterRegistrationBean.class));
    }

    @Test
    @DisplayName("a path is served, behind Spring Security's filter, and by the defaults of dedup.defaults")
    void served() {
        application(with(
                        "dedup.defaults.lease=20s",
                        "dedup.defaults.mode=transactional",
                        "dedup.defaults.in-flight-wait=9s"))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    FilterRegistrationBean<?> filter = context.getBean(FilterRegistrationBean.class);
                    assertThat(filter.getFilter()).asString().contains("IdempotencyKeyFilter");
                    assertThat(filter.getOrder()).isGreaterThan(-100);
                    assertThat(context.getBean(DeduplicatorRegistry.class).served())
                            .singleElement()
                            .satisfies(each -> assertThat(each.plans()
                                            .get("/payments")
                                            .policy()
                                            .toString())
                                    .contains("mode LEASED", "window PT1H", "lease PT20S", "inFlightWait PT0S"));
                });
    }

    @Test
    @DisplayName("a conflict is explained by the client and its request, not by a producer and a topic")
    void conflict() {
        application(RIGHT)
                .run(context -> assertThat(
                                context.getBean(DeduplicatorRegistry.class).served())
                        .singleElement()
                        .satisfies(each -> assertThat(each.plans()
                                        .get("/payments")
                                        .policy()
                                        .settingNames()
                                        .conflict(OnConflict.FAIL))
                                .contains("client", "422", "dedup.http.paths.\"[/payments]\".fingerprint: false")
                                .doesNotContain("producer", "topic")));
    }

    @Test
    @DisplayName(
            "an application without a web server warns that nothing is deduplicated, and doesn't start in strict mode")
    void noWebApplication() {
        ApplicationContextRunner batch = new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(autoConfigurations()))
                .withPropertyValues(RIGHT.toArray(String[]::new));
        batch.run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(HttpEntries.class));
        batch.withPropertyValues("dedup.strict=true")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(DedupConfigurationException.class)
                        .hasMessageContaining("dedup.http.paths is set, but this isn't a web application"));
    }

    @Test
    @DisplayName("without dedup-http the start fails, and the error names the dependency to add")
    void noModule() {
        FilteredClassLoader without = new FilteredClassLoader("io.dedup.http");
        refused(
                application(RIGHT).withClassLoader(without),
                "dedup.http.paths is set, but dedup-http is not on the class path",
                "Add the dependency io.dedup:dedup-http");
        application(List.of("dedup.store=memory", "dedup.http.header=X-Key"))
                .withClassLoader(without)
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    @DisplayName("the client must be known: Spring Security, a header, or none on purpose")
    void scopeBy() {
        List<String> properties = new ArrayList<>(RIGHT);
        properties.remove("dedup.http.defaults.scope-by=none");
        refused(application(properties), "no Spring Security", "dedup.http.defaults.scope-by", "header:<name>");
    }

    @ParameterizedTest
    @CsvSource({
        "dedup.http.defaults.consumer=, no consumer name",
        "dedup.http.paths.payments.window=1h, doesn't begin with a slash",
        "dedup.http.paths.payments.path=/a/**/b{, isn't a path pattern",
        "dedup.http.defaults.scope-by=cookie:a, scope-by must be principal",
        "dedup.http.defaults.scope-by=none + principal, scope-by must be principal",
        "dedup.http.defaults.max-response-size=9MB, between 0 and 8MB",
        "dedup.http.paths.[/payments].lease=1ms, lease",
    })
    @DisplayName("what cannot work is refused by the property's name")
    void wrong(String property, String problem) {
        refused(application(with(property)), problem, "dedup.http.");
    }

    @Test
    @DisplayName("two paths don't share their keys by chance")
    void twoPaths() {
        refused(
                application(with("dedup.http.paths.[/payments].topic=t", "dedup.http.paths.[/v2/payments].topic=t")),
                "take the requests that the other has handled for duplicates",
                ".topic to another name");
    }

    @Test
    @DisplayName("a listener behind the API doesn't share the API's record: it would skip what the API publishes")
    void listenerBehind() {
        String[] shared = {
            "dedup.topics.payments.id=header:id",
            "dedup.listeners.booking.consumer=api",
            "dedup.http.paths.[/payments].topic=payments"
        };
        refused(
                application(with(shared)).withUserConfiguration(Listener.class),
                "its effect would be lost",
                "same-effect-as-listeners: true");
        application(with(shared))
                .withPropertyValues("dedup.http.paths.[/payments].same-effect-as-listeners=true")
                .withUserConfiguration(Listener.class)
                .run(context -> assertThat(context).hasNotFailed());
        refused(
                application(with(shared))
                        .withPropertyValues(
                                "dedup.http.paths.[/payments].same-effect-as-listeners=true",
                                "dedup.topics.payments.fingerprint=true")
                        .withUserConfiguration(Listener.class),
                "different settings",
                "their fingerprints cannot be compared");
    }
}

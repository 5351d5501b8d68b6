package io.dedup.spring.boot.internal.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.DedupKey;
import io.dedup.DedupOutcome.DeferReason;
import io.dedup.DedupScope;
import io.dedup.DedupStoreException;
import io.dedup.Deduplicator;
import io.dedup.duplicate.DuplicateCause;
import io.dedup.duplicate.DuplicateDetails;
import io.dedup.engine.Deduplicators;
import io.dedup.policy.DedupPolicy;
import io.dedup.policy.OnConflict;
import io.dedup.step.StepOutcome;
import io.dedup.store.memory.InMemoryDedupStore;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.yaml.snakeyaml.Yaml;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Dashboard and alerts ask for meters, labels and outcomes that exist. */
class MonitoringFilesTest {
    private static final Path DIRECTORY = Path.of("monitoring");
    private static final Pattern METRIC = Pattern.compile("dedup_[a-z_]+");
    private static final Pattern LABELS = Pattern.compile("by \\(([a-z, ]+)\\)");
    private static final Pattern OUTCOMES = Pattern.compile("outcome=~?\\\\?\"([^\"\\\\]+)");

    private static MeterRegistry everything() {
        MeterRegistry registry = new SimpleMeterRegistry();
        DedupMeters meters = new DedupMeters(registry, new WindowAdvisor(System::nanoTime));
        var listener = meters.of("c", topic -> DedupPolicy.defaults());
        try (Deduplicator deduplicator =
                Deduplicators.builder(new InMemoryDedupStore()).consumer("c").build()) {
            meters.opened(deduplicator);
            DedupKey key = DedupKey.of(DedupScope.of("c", "t"), "id");
            listener.completed(key, Duration.ZERO);
            listener.duplicate(key, Instant.now(), null);
            listener.copyInBatch(key);
            listener.explained(key, new DuplicateDetails(DuplicateCause.RESENT, null, null, null, null, false));
            for (DeferReason reason : DeferReason.values()) {
                listener.deferred(key, reason, Duration.ZERO);
            }
            listener.missingId(deduplicator.topic("t"), "origin", "problem");
            listener.conflict(key, OnConflict.FAIL);
            listener.poison(key, 1);
            listener.unguarded(key, deduplicator.topic("t"));
            listener.released(key, null);
            listener.released(key, new IllegalStateException());
            listener.completionDropped(key);
            listener.leaseLost(key);
            listener.maxProcessingTimeExceeded(key);
            listener.resultNotKept(key, 1);
            listener.step(key, "mail", StepOutcome.RUN);
            listener.storeCalled("claim", 1, Duration.ZERO);
            listener.storeError("claim", new DedupStoreException("down", null));
        }
        return registry;
    }

    /** As Prometheus has them. */
    private static Set<String> names(MeterRegistry registry) {
        return registry.getMeters().stream()
                .flatMap(meter -> {
                    String name = meter.getId().getName().replace('.', '_');
                    return switch (meter.getId().getType()) {
                        case COUNTER -> Stream.of(name + "_total");
                        case TIMER ->
                            Stream.of("_bucket", "_count", "_sum", "_max").map(it -> name + "_seconds" + it);
                        case DISTRIBUTION_SUMMARY ->
                            Stream.of("_bucket", "_count", "_sum", "_max").map(it -> name + it);
                        default -> Stream.of(name);
                    };
                })
                .collect(Collectors.toSet());
    }

    @ParameterizedTest
    @ValueSource(strings = {"grafana-dashboard.json", "prometheus-alerts.yml", "prometheus-slo.yml"})
    void asksForWhatThereIs(String file) throws IOException {
        String text = Files.readString(DIRECTORY.resolve(file));
        MeterRegistry registry = everything();
        assertThat(found(METRIC, text, 0)).isNotEmpty().isSubsetOf(names(registry));

        Set<String> labels = registry.getMeters().stream()
                .map(Meter::getId)
                .flatMap(id -> id.getTags().stream())
                .map(tag -> tag.getKey())
                .collect(Collectors.toSet());
        labels.add("le");
        for (String list : found(LABELS, text, 1)) {
            assertThat(labels).contains(list.split(", "));
        }
        Set<String> outcomes = registry.find(MeterListener.MESSAGES).counters().stream()
                .map(counter -> String.valueOf(counter.getId().getTag("outcome")))
                .collect(Collectors.toSet());
        for (String pattern : found(OUTCOMES, text, 1)) {
            for (String alternative : pattern.split("\\|")) {
                assertThat(outcomes).as(alternative).anyMatch(outcome -> outcome.matches(alternative));
            }
        }
    }

    @Test
    void countersOfAlertsExistBeforeTheFirstMessage() {
        MeterRegistry registry = new SimpleMeterRegistry();
        new DedupMeters(registry, new WindowAdvisor(System::nanoTime)).serving("c", Set.of("t"));
        for (String cause : new String[] {"resent", "replayed", "redelivered"}) {
            assertThat(registry.get(MeterListener.DUPLICATES)
                            .tags("consumer", "c", "topic", "t", "cause", cause)
                            .counter()
                            .count())
                    .isZero();
        }
        for (String outcome : new String[] {"missing_id", "conflict", "poison", "unguarded"}) {
            assertThat(registry.get(MeterListener.MESSAGES)
                            .tags("consumer", "c", "topic", "t", "outcome", outcome)
                            .counter()
                            .count())
                    .isZero();
        }
    }

    @Test
    void everyMeterIsOnTheDashboard() throws IOException {
        JsonNode dashboard =
                JsonMapper.builder().build().readTree(Files.readString(DIRECTORY.resolve("grafana-dashboard.json")));
        String expressions = dashboard
                .get("panels")
                .valueStream()
                .flatMap(panel -> panel.get("targets").valueStream())
                .map(target -> target.get("expr").asString())
                .collect(Collectors.joining("\n"));
        for (Meter meter : everything().getMeters()) {
            if (meter.getId().getName().endsWith(".histogram")) {
                continue; // buckets, as the simple registry shows them
            }
            assertThat(expressions).contains(meter.getId().getName().replace('.', '_'));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"prometheus-alerts.yml", "prometheus-slo.yml"})
    void alertsAreRules(String name) throws IOException {
        Map<String, List<Map<String, List<Map<String, Object>>>>> file =
                new Yaml().load(Files.readString(DIRECTORY.resolve(name)));
        List<Map<String, Object>> rules = file.get("groups").get(0).get("rules");
        assertThat(rules)
                .isNotEmpty()
                .allSatisfy(rule -> assertThat(rule).containsKeys("alert", "expr", "for", "labels", "annotations"));
    }

    private static Set<String> found(Pattern pattern, String text, int group) {
        Set<String> found = new TreeSet<>();
        Matcher matcher = pattern.matcher(text);
        while (matcher.find()) {
            found.add(matcher.group(group));
        }
        return found;
    }
}

package io.dedup.internal.listener;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.dedup.DedupKey;
import io.dedup.DedupScope;
import io.dedup.DedupStoreException;
import io.dedup.DedupTopic;
import io.dedup.Deduplicator;
import io.dedup.engine.Deduplicators;
import io.dedup.internal.settings.DedupTopics;
import io.dedup.logged.OwnLines;
import io.dedup.policy.DedupPolicy;
import io.dedup.policy.OnConflict;
import io.dedup.policy.SettingNames;
import io.dedup.support.DeduplicatorTestBase;
import io.dedup.support.Faults;
import io.dedup.support.FaultyStore.Op;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class TroubleLogTest extends DeduplicatorTestBase {
    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5); // the clock of a JVM may begin anywhere
    private final List<String> lines = new ArrayList<>();
    private final TroubleLog log = log(DedupPolicy.defaults());
    private final DedupTopic topic = new DedupTopic(DedupScope.of("billing", TOPIC), DedupPolicy.defaults());

    private TroubleLog log(DedupPolicy policy) {
        return new TroubleLog(new DedupTopics("billing", policy, Map.of()), "redis", nanos::get, lines::add);
    }

    @Test
    @DisplayName("a store that is down is one line in ten seconds, with how many it stands for")
    void oneLine() {
        for (int i = 0; i < 500; i++) {
            log.storeError("claim", new DedupStoreException("claim on a:1 failed: set commandTimeout", null));
        }
        nanos.addAndGet(Duration.ofSeconds(10).toNanos());
        log.storeError("claim", new DedupStoreException("claim on a:1 failed", null));
        log.storeError("renew", new DedupStoreException("renew on a:1 failed", null));

        assertThat(lines)
                .containsExactly(
                        "consumer billing, store redis: claim on a:1 failed: set commandTimeout",
                        "consumer billing, store redis: claim on a:1 failed (499 more since the last such line)",
                        "consumer billing, store redis: renew on a:1 failed");
    }

    @Test
    @DisplayName("what is quiet about one topic speaks of another; each line names the message and the setting")
    void messages() {
        DedupKey other = DedupScope.of("billing", "refunds").key("r-1");
        log.leaseLost(key("a"));
        log.leaseLost(key("b"));
        log.leaseLost(other);
        log.maxProcessingTimeExceeded(key("a"));
        log.completionDropped(key("a"));
        log.poison(key("a"), 3);
        log.conflict(key("a"), OnConflict.SKIP);
        log.missingId(topic, "topic orders, partition 2, offset 7", "no header order-id");
        log.unguarded(null, topic);

        assertThat(lines).hasSize(8);
        assertThat(lines.get(0)).contains("\"a\"", TOPIC, "lease", "handler has run longer than maxProcessingTime (");
        assertThat(lines.get(1)).contains("\"r-1\"", "refunds");
        assertThat(lines.get(2)).contains("\"a\"", "maxProcessingTime");
        assertThat(lines.get(3)).contains("\"a\"", "could not be recorded");
        assertThat(lines.get(4)).contains("\"a\"", "maxDeaths", "3");
        assertThat(lines.get(5)).contains("\"a\"", "onConflict", "SKIP");
        assertThat(lines.get(6)).contains("partition 2, offset 7", "no header order-id", "onMissingId", "FAIL");
        assertThat(lines.get(7)).contains(TOPIC, "PROCESS");
    }

    @Test
    @DisplayName("settings are named as whoever configures the policy writes them")
    void names() {
        DedupPolicy policy =
                DedupPolicy.builder().settingNames(new ShoutedNames()).build();
        TroubleLog named = log(policy);
        named.leaseLost(key("a"));
        named.maxProcessingTimeExceeded(key("a"));
        named.poison(key("a"), 3);
        named.conflict(key("a"), OnConflict.SKIP);
        named.missingId(
                new DedupTopic(topic.scope(), policy),
                "topic orders, partition 2, offset 7",
                "it has no header \"order-id\"");
        named.unguarded(null, new DedupTopic(topic.scope(), policy));
        named.storeError("claim", new DedupStoreException("claim on a:1 failed: set commandTimeout", null));

        assertThat(lines.get(0)).contains("set a longer my.LEASE");
        assertThat(lines.get(1)).contains("than MAXPROCESSINGTIME.", "set a longer my.MAXPROCESSINGTIME");
        assertThat(lines.get(2)).contains("my.MAXDEATHS sets");
        assertThat(lines.get(3)).contains("Applied my.ONCONFLICT: skip");
        assertThat(lines.get(4))
                .isEqualTo("Message in topic orders, partition 2, offset 7: it has no header \"order-id\". Consumer"
                        + " \"billing\" cannot deduplicate it. Rejected (ONMISSINGID: fail). To handle such messages anyway,"
                        + " set my.ONMISSINGID to process (no deduplication) or skip (acknowledge without handling).");
        assertThat(lines.get(5)).contains("ONSTOREFAILURE, ONMISSINGID or ONCONFLICT of its topic is process");
        assertThat(lines.get(6)).contains("CLAIM ON A:1 FAILED");
    }

    /** Names that no other text has. */
    private static final class ShoutedNames implements SettingNames {
        @Override
        public String name(String setting) {
            return setting.toUpperCase(Locale.ROOT);
        }

        @Override
        public String path(String setting) {
            return "my." + name(setting);
        }

        @Override
        public String value(Object value) {
            return value.toString().toLowerCase(Locale.ROOT);
        }

        @Override
        public String text(String message) {
            return message.toUpperCase(Locale.ROOT);
        }
    }

    @Test
    @DisplayName("K1 neither an ID nor an error's text can begin a line of its own")
    void hostile() {
        log.leaseLost(key("a\n12:00 INFO all is well"));
        log.storeError("claim", new DedupStoreException("it failed\n12:00 INFO all is well" + "x".repeat(5_000), null));

        assertThat(lines)
                .allSatisfy(line -> assertThat(line).doesNotContain("\n").hasSizeLessThan(1_500));
    }

    @Test
    @DisplayName("a deduplicator without listeners logs it")
    void wired() {
        Logger logger = (Logger) LoggerFactory.getLogger(Deduplicator.class);
        logger.setLevel(Level.WARN);
        logger.setAdditive(false);
        try (OwnLines lines = OwnLines.of(Deduplicator.class)) {
            String consumer = "unique-" + System.nanoTime();
            try (Deduplicator dedup = Deduplicators.builder(store)
                    .consumer(consumer)
                    .shutdownTimeout(Duration.ZERO)
                    .build()) {
                store.on(Op.CLAIM, Faults.down());
                dedup.execute(DedupScope.of(consumer, TOPIC).key("a"), context -> "");
            }
            assertThat(lines.events())
                    .filteredOn(event -> event.getFormattedMessage().contains(consumer))
                    .singleElement()
                    .satisfies(event -> assertThat(event.getLevel()).isEqualTo(Level.WARN));
        } finally {
            logger.setAdditive(true);
            logger.setLevel(null);
        }
    }
}

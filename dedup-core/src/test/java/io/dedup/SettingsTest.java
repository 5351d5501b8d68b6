package io.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.dedup.engine.DeduplicatorBuilder;
import io.dedup.engine.Deduplicators;
import io.dedup.internal.settings.DedupTopics;
import io.dedup.policy.DedupPolicy;
import io.dedup.policy.OnConflict;
import io.dedup.policy.OnMissingId;
import io.dedup.policy.OnStoreFailure;
import io.dedup.policy.Window;
import io.dedup.store.StoredRecord;
import io.dedup.store.memory.InMemoryDedupStore;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class SettingsTest {
    private static final Duration OVERFLOWING = Duration.ofSeconds(Long.MAX_VALUE, 999_999_999);
    private static final Duration UNDERFLOWING = Duration.ofSeconds(Long.MIN_VALUE);

    static Stream<Arguments> durations() {
        return Stream.of(
                setting("window", DedupPolicy.Builder::window, Duration.ofMillis(1), Window.MAX),
                setting("lease", DedupPolicy.Builder::lease, Duration.ofMillis(10), Duration.ofDays(1)),
                setting(
                        "maxProcessingTime",
                        DedupPolicy.Builder::maxProcessingTime,
                        Duration.ofMillis(10),
                        Duration.ofDays(7)),
                setting("inFlightWait", DedupPolicy.Builder::inFlightWait, Duration.ZERO, Duration.ofMinutes(10)),
                setting(
                        "maxDeferDelay",
                        DedupPolicy.Builder::maxDeferDelay,
                        Duration.ofMillis(10),
                        Duration.ofMinutes(10)));
    }

    private static Arguments setting(
            String name,
            BiFunction<DedupPolicy.Builder, Duration, DedupPolicy.Builder> setter,
            Duration least,
            Duration most) {
        return Arguments.of(name, setter, least, most);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("durations")
    void durationsHaveBoundsAndNamesInTheirErrors(
            String name,
            BiFunction<DedupPolicy.Builder, Duration, DedupPolicy.Builder> setter,
            Duration least,
            Duration most) {
        assertThat(setter.apply(DedupPolicy.builder(), least)).isNotNull();
        assertThat(setter.apply(DedupPolicy.builder(), most)).isNotNull();
        for (Duration wrong : new Duration[] {
            least.minusNanos(1), most.plusNanos(1), Duration.ofSeconds(-1), OVERFLOWING, UNDERFLOWING
        }) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> setter.apply(DedupPolicy.builder(), wrong))
                    .withMessageContaining(name)
                    .withMessageContaining(wrong.toString());
        }
        assertThatNullPointerException()
                .isThrownBy(() -> setter.apply(DedupPolicy.builder(), null))
                .withMessage(name);
    }

    @Test
    void zeroIsNoWindowNorLease() {
        assertThatIllegalArgumentException().isThrownBy(() -> Window.of(Duration.ZERO));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DedupPolicy.builder().lease(Duration.ZERO));
    }

    @Test
    void noWindowIsNotForEver() {
        assertThatNullPointerException().isThrownBy(() -> Window.of(null)).withMessage("window");
        assertThatNullPointerException().isThrownBy(() -> DedupPolicy.builder().window((Window) null));
        assertThat(Window.forever().isForever()).isTrue();
        assertThat(Window.of(Window.MAX).isForever()).isFalse();
    }

    @Test
    void numbersHaveBoundsAndNamesInTheirErrors() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DedupPolicy.builder().maxDeaths(-1))
                .withMessageContaining("maxDeaths");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DedupPolicy.builder().missingIdLimit(-1))
                .withMessageContaining("missingIdLimit");
        for (int wrong : new int[] {-1, Integer.MIN_VALUE, 16 * 1024 * 1024 + 1, Integer.MAX_VALUE}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> DedupPolicy.builder().maxResultBytes(wrong))
                    .withMessageContaining("maxResultBytes");
        }
    }

    static Stream<Arguments> enums() {
        return Stream.of(
                nullable("onStoreFailure", builder -> builder.onStoreFailure(null)),
                nullable("onMissingId", builder -> builder.onMissingId(null)),
                nullable("onConflict", builder -> builder.onConflict(null)));
    }

    private static Arguments nullable(String name, Consumer<DedupPolicy.Builder> setter) {
        return Arguments.of(name, setter);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("enums")
    void choicesAreRequired(String name, Consumer<DedupPolicy.Builder> setter) {
        assertThatNullPointerException()
                .isThrownBy(() -> setter.accept(DedupPolicy.builder()))
                .withMessage(name);
    }

    @Test
    void settingsThatContradictEachOtherAreBothNamed() {
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        DedupPolicy.builder().lease(Duration.ofMinutes(10)).build())
                .withMessageContaining("maxProcessingTime")
                .withMessageContaining("lease");
    }

    @Test
    void aCopyIsTheSame() {
        DedupPolicy policy = DedupPolicy.builder()
                .window(Duration.ofDays(7))
                .lease(Duration.ofSeconds(7))
                .maxProcessingTime(Duration.ofMinutes(7))
                .inFlightWait(Duration.ofMillis(7))
                .maxDeferDelay(Duration.ofMillis(70))
                .onStoreFailure(OnStoreFailure.PAUSE)
                .onMissingId(OnMissingId.SKIP)
                .onConflict(OnConflict.PROCESS)
                .maxDeaths(7)
                .missingIdLimit(3)
                .maxResultBytes(77)
                .fingerprint(true)
                .fencingToken(false)
                .shadow(true)
                .build();

        assertThat(policy.toBuilder().build()).usingRecursiveComparison().isEqualTo(policy);
        assertThat(policy).usingRecursiveComparison().isNotEqualTo(DedupPolicy.defaults());
        assertThat(policy.toString()).contains("PT168H", "PT7S", "PAUSE", "SKIP", "PROCESS", "maxDeaths 7", "shadow");
    }

    @Test
    void theDefaultsAreTheSafeOnes() {
        DedupPolicy defaults = DedupPolicy.defaults();
        assertThat(defaults.window()).isEqualTo(Window.of(Duration.ofDays(7)));
        assertThat(defaults.lease()).isEqualTo(Duration.ofSeconds(30));
        assertThat(defaults.maxProcessingTime()).isEqualTo(Duration.ofMinutes(5));
        assertThat(defaults.inFlightWait()).isEqualTo(Duration.ofSeconds(2));
        assertThat(defaults.onStoreFailure()).isEqualTo(OnStoreFailure.RETRY);
        assertThat(defaults.onMissingId()).isEqualTo(OnMissingId.FAIL);
        assertThat(defaults.onConflict()).isEqualTo(OnConflict.FAIL);
        assertThat(defaults.maxDeaths()).isZero();
        assertThat(defaults.missingIdLimit()).isEqualTo(10);
        assertThat(defaults.fencingToken()).isTrue();
        assertThat(defaults.shadow()).isFalse();
    }

    private static DeduplicatorBuilder builder() {
        return Deduplicators.builder(new InMemoryDedupStore());
    }

    @Test
    void aConsumerNameIsRequiredAtTheStart() {
        assertThatIllegalArgumentException().isThrownBy(() -> builder().build()).withMessageContaining("consumer");
        for (String wrong : new String[] {"", " ", "\ud800"}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> builder().consumer(wrong).build())
                    .withMessageContaining("consumer");
        }
        assertThatNullPointerException()
                .isThrownBy(() -> builder().consumer(null))
                .withMessage("consumer");
    }

    @Test
    void theInstancesNameIsInTheRecordOfAClaim() {
        InMemoryDedupStore store = new InMemoryDedupStore();
        try (Deduplicator dedup = Deduplicators.builder(store)
                .consumer("billing")
                .instance("pod-1")
                .build()) {
            DedupKey key = dedup.key("orders", "a");
            dedup.execute(key, context -> {
                StoredRecord record = store.find(key).orElseThrow();
                assertThat(record.owner().instance()).isEqualTo("pod-1");
                assertThat(record.claimedAt())
                        .isEqualTo(Instant.EPOCH.plus(record.fencingToken(), ChronoUnit.MICROS))
                        .isBetween(Instant.now().minusSeconds(3_600), Instant.now());
                return null;
            });
            assertThat(store.find(key).orElseThrow().claimedAt()).isNull();
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder().instance(" "))
                .withMessageContaining("instance must not be blank");
    }

    @Test
    void wrongTopicsAreNamedAtTheStart() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder()
                        .consumer("billing")
                        .topic("orders", policy -> policy.lease(Duration.ofMinutes(10)))
                        .build())
                .withMessageContaining("topic orders")
                .withMessageContaining("maxProcessingTime");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder()
                        .consumer("billing")
                        .topic(" ", policy -> policy)
                        .build())
                .withMessageContaining("topic");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder().topic("orders", policy -> policy).topic("orders", policy -> policy))
                .withMessageContaining("twice");
    }

    @Test
    void topicsBuildOnTheDefaultsWheneverThoseAreSet() {
        try (Deduplicator dedup = builder()
                .consumer("billing")
                .topic("orders", policy -> policy.maxDeaths(3))
                .defaults(DedupPolicy.builder().window(Duration.ofDays(7)).build())
                .build()) {
            assertThat(dedup.topic("orders").policy().maxDeaths()).isEqualTo(3);
            assertThat(dedup.topic("orders").policy().window()).isEqualTo(Window.of(Duration.ofDays(7)));
            assertThat(dedup.topic("other").policy().maxDeaths()).isZero();
            assertThat(dedup.topic("other").scope()).isEqualTo(DedupScope.of("billing", "other"));
            assertThat(dedup.topic("other")).isSameAs(dedup.topic("other"));
            assertThat(dedup.consumer()).isEqualTo("billing");
        }
    }

    @Test
    void theShutdownTimeoutHasBounds() {
        for (Duration wrong : new Duration[] {Duration.ofMillis(-1), Duration.ofHours(2), OVERFLOWING}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> builder().shutdownTimeout(wrong))
                    .withMessageContaining("shutdownTimeout");
        }
    }

    @Test
    void theAttemptRetentionHasABound() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new InMemoryDedupStore(InstantSource.system(), Duration.ofMillis(999)))
                .withMessageContaining("attemptRetention");
    }

    @Test
    void topicNamesThatComeFromMessagesDoNotFillTheMemory() {
        DedupTopics topics = new DedupTopics("billing", DedupPolicy.defaults(), Map.of());
        DedupTopic early = topics.topic("t0");
        for (int i = 0; i < 20_000; i++) {
            assertThat(topics.topic("t" + i).scope().topic()).isEqualTo("t" + i);
        }
        assertThat(topics.topic("t0")).isSameAs(early);
        assertThat(topics.topic("t19999")).isNotSameAs(topics.topic("t19999")).isEqualTo(topics.topic("t19999"));
    }
}

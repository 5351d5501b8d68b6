package io.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dedup.DedupOutcome.DeferReason;
import io.dedup.DedupOutcome.SkipReason;
import io.dedup.adapter.Admission;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.DeliveryFactory;
import io.dedup.adapter.WaitBudget;
import io.dedup.engine.DeduplicatorBuilder;
import io.dedup.id.IdText;
import io.dedup.id.MessageIdExtractor;
import io.dedup.policy.DedupMode;
import io.dedup.policy.OnMissingId;
import io.dedup.support.DeduplicatorTestBase;
import io.dedup.support.MemoryTransactions;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class MissingIdTest extends DeduplicatorTestBase {
    static Stream<String> unusable() {
        return Stream.of(
                null,
                "",
                " ",
                "\t \n",
                "\u2003",
                "\ud800",
                "a\udc00b",
                "\udc00\ud800",
                "sha256:\ud800",
                "x".repeat(10_000) + "\ud800");
    }

    static Stream<String> usable() {
        return Stream.of(
                "a",
                " a",
                "a ",
                "\u0000",
                "a\u0000",
                "\u0001\u0002\u001b[31m",
                "\u00a0", // no white space to Character.isWhitespace, and a text of its own
                "\u200b",
                "\r\nx",
                "{}",
                "{a}",
                "}{",
                "{{a}}",
                "*",
                "a*?[b-c]",
                "'; DROP TABLE dedup; --",
                "\\",
                "%_",
                "\"",
                "$1",
                "null",
                "\ud83d\ude00",
                "é", // one code point
                "e\u0301", // two, which look the same
                "x".repeat(10_000),
                "ü".repeat(5_000),
                "😀".repeat(64), // 256 bytes
                "sha256:" + "0".repeat(64),
                "sha256:",
                "SHA256:x");
    }

    @ParameterizedTest
    @MethodSource("unusable")
    void isRejectedByDefault(@Nullable String id) {
        Admission admission = admit(deduplicator(), id);

        assertThat(admission)
                .isInstanceOfSatisfying(
                        Admission.Reject.class,
                        reject -> assertThat(reject.cause())
                                .isInstanceOf(MissingMessageIdException.class)
                                .hasMessageContaining("orders-0@17")
                                .hasMessageContaining("onMissingId"));
        assertThat(store.calls()).isEmpty();
        assertThat(events.all()).singleElement().asString().startsWith("missing in orders-0@17: ");
        assertThatThrownBy(() -> key(id)).isInstanceOf(MissingMessageIdException.class);
        assertThatThrownBy(() -> deduplicator().key(TOPIC, id)).isInstanceOf(MissingMessageIdException.class);
    }

    @Test
    void theErrorNamesWhatTheMessageLacks() {
        MessageIdExtractor<Map<String, String>> tenant =
                MessageIdExtractor.named("header \"tenant\"", m -> m.get("tenant"));
        MessageIdExtractor<Map<String, String>> order =
                MessageIdExtractor.named("header \"order\"", m -> m.get("order"));
        var both = MessageIdExtractor.composite(List.of(tenant, order));

        assertThat(problem(order, Map.of())).isEqualTo("it has no header \"order\"");
        assertThat(problem(order, Map.of("order", " "))).isEqualTo("its header \"order\" is blank");
        assertThat(problem(both, Map.of("tenant", "t"))).isEqualTo("it has no header \"order\"");
        assertThat(problem(both, Map.of("order", "o"))).isEqualTo("it has no header \"tenant\"");
        assertThat(problem(both.<Map<String, String>>on(m -> m), Map.of())).isEqualTo("it has no header \"tenant\"");
        assertThat(problem(m -> m.get("order"), Map.of())).isEqualTo("it has no message ID");
    }

    @Test
    void anExtractorsOwnExplanationIsWhole() {
        assertThat(problem(m -> IdText.of(1.5, "header order-id"), Map.of()))
                .isEqualTo("header order-id is a java.lang.Double, which has no unambiguous text. It must be text, an"
                        + " integer number, a UUID, an enum constant or bytes in UTF-8");
        assertThat(problem(m -> UUID.fromString("x".repeat(100)).toString(), Map.of()))
                .as("may quote the message")
                .hasSizeLessThan(120);
    }

    private @Nullable String problem(MessageIdExtractor<Map<String, String>> extractor, Map<String, String> message) {
        return new DeliveryFactory<Map<String, String>>(deduplicator()::topic, extractor, Map.of())
                .of(TOPIC, message, () -> "orders-0@17", ignored -> null)
                .problem();
    }

    @ParameterizedTest
    @MethodSource("unusable")
    void isSkippedIfToldSo(@Nullable String id) {
        Admission admission = admit(deduplicator(policy -> policy.onMissingId(OnMissingId.SKIP)), id);

        assertThat(admission).isEqualTo(new Admission.Ignore(SkipReason.MISSING_ID));
        assertThat(store.calls()).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("unusable")
    void runsUnguardedIfToldSo(@Nullable String id) {
        Deduplicator dedup = deduplicator(policy -> policy.onMissingId(OnMissingId.PROCESS));
        for (int i = 0; i < 2; i++) {
            assertThat(admit(dedup, id)).isInstanceOfSatisfying(Admission.Run.class, run -> {
                assertThat(run.execution().key()).isNull();
                assertThat(run.execution().guarded()).isFalse();
                run.execution().begin();
                assertThat(run.execution().succeed(null, WaitBudget.none()))
                        .isEqualTo(DedupOutcome.Completion.UNGUARDED);
            });
        }
        assertThat(store.calls()).isEmpty();
        assertThat(events.count("unguarded null")).isEqualTo(2);
    }

    @ParameterizedTest
    @MethodSource("usable")
    void everythingElseIsAnIdOfItsOwn(String id) {
        Deduplicator dedup = deduplicator();

        assertThat(admit(dedup, id)).isInstanceOf(Admission.Run.class);
        assertThat(admit(dedup, id)).isInstanceOf(Admission.Defer.class);
        for (String other : usable().toList()) {
            if (!other.equals(id)) {
                assertThat(key(other)).isNotEqualTo(key(id));
            }
        }
    }

    @Test
    void aBatchGoesOnAroundThem() {
        Deduplicator dedup = deduplicator();

        assertThat(DedupAdapter.of(dedup)
                        .admitAll(
                                List.of(delivery(dedup, "a"), delivery(dedup, null), delivery(dedup, "a")),
                                WaitBudget.none())
                        .admissions())
                .satisfiesExactly(
                        first -> assertThat(first).isInstanceOf(Admission.Run.class),
                        second -> assertThat(second).isInstanceOf(Admission.Reject.class),
                        third -> assertThat(third).isEqualTo(new Admission.Follow(0)));
    }

    @Test
    void anIdThatCouldNotBeExtractedIsMissing() {
        Deduplicator dedup = deduplicator();

        assertThat(DedupAdapter.of(dedup)
                        .admit(
                                Delivery.withoutId(dedup.topic(TOPIC), "malformed JSON", () -> "orders-0@17"),
                                WaitBudget.none()))
                .isInstanceOfSatisfying(
                        Admission.Reject.class,
                        reject -> assertThat(reject.cause()).hasMessageContaining("malformed JSON"));
    }

    @Test
    void aTopicWithoutAnyIdIsNotEmptied() {
        Deduplicator dedup = deduplicator();

        for (int i = 0; i < 9; i++) {
            assertThat(admit(dedup, null, i)).isInstanceOf(Admission.Reject.class);
            assertThat(admit(dedup, null, i)).isInstanceOf(Admission.Reject.class); // the same message, redelivered
        }
        assertThat(admit(dedup, null, 9))
                .isInstanceOfSatisfying(
                        Admission.Defer.class,
                        defer -> assertThat(defer.reason()).isEqualTo(DeferReason.MISSING_ID));
        assertThat(admit(dedup, "\t", 10)).isInstanceOf(Admission.Defer.class);
        assertThat(admit(dedup, null, 9)).isInstanceOf(Admission.Defer.class);
        assertThat(admit(dedup, null, 8)).isInstanceOf(Admission.Reject.class);
        assertThat(events.count("missing in orders-0@9: it has no message ID")).isZero();
    }

    @ParameterizedTest
    @EnumSource(
            value = DedupMode.class,
            names = {"LEASED", "TRANSACTIONAL"})
    void aBadMessageAmongGoodOnesIsRejected(DedupMode mode) {
        Deduplicator dedup = deduplicator(
                store,
                policy -> policy.missingIdLimit(1).mode(mode),
                builder -> builder.transactions(new MemoryTransactions(store)));

        assertThat(admit(dedup, null, 0)).isInstanceOf(Admission.Defer.class);
        assertThat(admit(dedup, "a", 1)).isInstanceOf(Admission.Run.class);
        assertThat(admit(dedup, null, 0)).isInstanceOf(Admission.Reject.class);
        assertThat(admit(dedup, null, 2)).isInstanceOf(Admission.Reject.class);
    }

    @Test
    void aGoodOneBehindThemInTheSameBatchCounts() {
        Deduplicator dedup = deduplicator(policy -> policy.missingIdLimit(1));

        assertThat(DedupAdapter.of(dedup)
                        .admitAll(List.of(delivery(dedup, null), delivery(dedup, "a")), WaitBudget.none())
                        .admissions())
                .satisfiesExactly(
                        first -> assertThat(first).isInstanceOf(Admission.Reject.class),
                        second -> assertThat(second).isInstanceOf(Admission.Run.class));
    }

    @Test
    void oneClaimedAheadCounts() {
        Deduplicator dedup = deduplicator(policy -> policy.missingIdLimit(1));
        DedupAdapter adapter = DedupAdapter.of(dedup);

        assertThat(adapter.ahead().claim(List.of(delivery(dedup, null), delivery(dedup, "a"))))
                .hasSize(2);
        assertThat(admit(dedup, null, 0)).isInstanceOf(Admission.Reject.class);
    }

    @Test
    void theLimitIsForRejectedMessagesOfOneTopic() {
        Deduplicator off = deduplicator(policy -> policy.missingIdLimit(0));
        Deduplicator skips = deduplicator(policy -> policy.missingIdLimit(1).onMissingId(OnMissingId.SKIP));
        Deduplicator processes = deduplicator(policy -> policy.missingIdLimit(1).onMissingId(OnMissingId.PROCESS));
        Deduplicator shadow = deduplicator(policy -> policy.missingIdLimit(1).shadow(true));
        for (int i = 0; i < 20; i++) {
            assertThat(admit(off, null, i)).isInstanceOf(Admission.Reject.class);
            assertThat(admit(skips, null, i)).isInstanceOf(Admission.Ignore.class);
            assertThat(admit(processes, null, i)).isInstanceOf(Admission.Run.class);
            assertThat(admit(shadow, null, i)).isInstanceOf(Admission.Run.class);
        }
        Deduplicator two = deduplicator(policy -> policy.missingIdLimit(1));
        assertThat(admit(two, "a", 0)).isInstanceOf(Admission.Run.class);
        assertThat(DedupAdapter.of(two)
                        .admit(Delivery.of(two.topic("clicks"), null, null, () -> "clicks-0@1"), WaitBudget.none()))
                .isInstanceOf(Admission.Defer.class);
    }

    private static Admission admit(Deduplicator dedup, @Nullable String id, int offset) {
        return DedupAdapter.of(dedup)
                .admit(Delivery.of(dedup.topic(TOPIC), id, null, () -> "orders-0@" + offset), WaitBudget.none());
    }

    @Test
    void thePolicyIsTheTopics() {
        UnaryOperator<DeduplicatorBuilder> more =
                builder -> builder.topic("clicks", policy -> policy.onMissingId(OnMissingId.SKIP));
        Deduplicator dedup = deduplicator(store, policy -> policy, more);

        assertThat(DedupAdapter.of(dedup)
                        .admit(Delivery.of(dedup.topic("clicks"), null, null, () -> "x"), WaitBudget.none()))
                .isInstanceOf(Admission.Ignore.class);
        assertThat(admit(dedup, null)).isInstanceOf(Admission.Reject.class);
    }

    private static Admission admit(Deduplicator dedup, @Nullable String id) {
        return DedupAdapter.of(dedup).admit(delivery(dedup, id), WaitBudget.none());
    }

    private static Delivery delivery(Deduplicator dedup, @Nullable String id) {
        return Delivery.of(dedup.topic(TOPIC), id, null, () -> "orders-0@17");
    }
}

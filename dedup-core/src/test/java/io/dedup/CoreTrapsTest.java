package io.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupOutcome.Completion;
import io.dedup.DedupOutcome.Deferred;
import io.dedup.DedupOutcome.Duplicate;
import io.dedup.DedupOutcome.Handled;
import io.dedup.adapter.DedupAdapter;
import io.dedup.id.MessageIdExtractor;
import io.dedup.policy.Window;
import io.dedup.store.ClaimRequest;
import io.dedup.store.Owner;
import io.dedup.store.StoredRecord.State;
import io.dedup.support.DeduplicatorTestBase;
import io.dedup.support.Faults;
import io.dedup.support.FaultyStore.Op;
import java.time.Duration;
import java.time.Period;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The traps of the core, one by one; other tests go deeper into most of them. */
class CoreTrapsTest extends DeduplicatorTestBase {
    @Test
    @DisplayName("T1 a paused consumer cannot finish, free or extend its successor's claim")
    void zombieOwner() {
        Deduplicator dedup = deduplicator();
        Owner successor = new Owner("successor");
        List<DedupOutcome<String>> outcomes = new ArrayList<>();
        for (String id : List.of("completes", "fails")) {
            outcomes.add(dedup.execute(key(id), context -> {
                clock.advance(Duration.ofMinutes(1));
                store.intact()
                        .claim(List.of(new ClaimRequest(key(id), successor, Duration.ofMinutes(1))))
                        .get(0);
                if (id.equals("fails")) {
                    throw new IllegalStateException("no effect");
                }
                return "";
            }));
            assertThat(record(id).owner()).isEqualTo(successor);
            assertThat(record(id).leaseRemaining()).isEqualTo(Duration.ofMinutes(1));
        }
        assertThat(outcomes.get(0)).isEqualTo(new Handled<>("", Completion.LEASE_LOST));
        assertThat(outcomes.get(1)).isInstanceOf(Deferred.class);
    }

    @Test
    @DisplayName("T2 if the run in flight fails after its duplicate was seen, the duplicate runs")
    void inFlightIsNeverAcked() {
        Deduplicator dedup = deduplicator();
        List<DedupOutcome<String>> copies = new ArrayList<>();

        assertThatIllegalStateException()
                .isThrownBy(() -> dedup.execute(key("a"), context -> {
                    copies.add(dedup.execute(key("a"), inner -> "too early"));
                    throw new IllegalStateException("no effect");
                }));
        copies.add(dedup.execute(key("a"), inner -> "effect"));

        assertThat(copies.get(0).mayAck()).isFalse();
        assertThat(copies.get(1)).isEqualTo(new Handled<>("effect", Completion.DONE));
    }

    @Test
    @DisplayName("T3 a record that expires between two looks is claimed, never just run")
    void claimAndAnswerAreOne() {
        Deduplicator dedup = deduplicator(policy -> policy.inFlightWait(Duration.ofMinutes(1)));
        store.intact()
                .claim(List.of(new ClaimRequest(key("a"), new Owner("o"), Duration.ofMinutes(1))))
                .get(0);
        store.on(Op.CLAIM, (call, real) -> {
            List<?> answer = real.apply(call.requests());
            clock.advance(Duration.ofDays(30)); // gone right after the answer
            return answer;
        });

        dedup.execute(key("a"), context -> {
            assertThat(context.guarded()).isTrue();
            return "";
        });

        assertThat(store.calls(Op.CLAIM)).hasSize(2);
    }

    @Test
    @DisplayName("T4 no error of a store is a claim")
    void storeErrorIsNoClaim() {
        Deduplicator dedup = deduplicator();
        for (Throwable thrown : List.of(
                new DedupStoreException("unknown error", null),
                new IllegalStateException("a bug"),
                new NoClassDefFoundError("a wrong class path"))) {
            store.on(Op.CLAIM, Faults.throwing(() -> thrown));
            assertThat(dedup.execute(key("a"), context -> "must not run").mayAck())
                    .isFalse();
        }
    }

    @Test
    @DisplayName("T5 an error after success isn't a failed handler")
    void errorAfterSuccess() {
        Deduplicator dedup = deduplicator();
        store.on(Op.COMPLETE, Faults.throwing(() -> new DedupStoreException("no answer", null)));

        assertThat(dedup.execute(key("a"), context -> "effect").mayAck()).isTrue();
        assertThat(store.calls(Op.RELEASE)).isEmpty();
        assertThat(dedup.execute(key("a"), context -> {
                    throw new AssertionError("twice");
                }))
                .isInstanceOf(Duplicate.class);
    }

    @Test
    @DisplayName("T6 a set interrupt flag doesn't hinder the close-out, and is set again after it")
    void interruptFlag() {
        Deduplicator dedup = deduplicator();
        for (Op op : Op.values()) {
            store.on(op, Faults.failingWhenInterrupted());
        }

        dedup.execute(key("succeeds"), context -> {
            Thread.currentThread().interrupt();
            return "";
        });
        assertThat(Thread.interrupted()).isTrue();
        assertThatIllegalStateException()
                .isThrownBy(() -> dedup.execute(key("fails"), context -> {
                    Thread.currentThread().interrupt();
                    throw new IllegalStateException("no effect");
                }));
        assertThat(Thread.interrupted()).isTrue();
        dedup.executeAll(
                List.of("x", "y"),
                DeduplicatorTestBase::key,
                items -> Thread.currentThread().interrupt());
        assertThat(Thread.interrupted()).isTrue();
        Thread.currentThread().interrupt();
        dedup.execute(key("claims"), context -> "");
        assertThat(Thread.interrupted()).isTrue();

        assertThat(stateOf("succeeds")).isEqualTo(State.DONE);
        assertThat(stateOf("fails")).isEqualTo(State.RELEASED);
        assertThat(stateOf("x")).isEqualTo(State.DONE);
        assertThat(stateOf("y")).isEqualTo(State.DONE);
        assertThat(stateOf("claims")).isEqualTo(State.DONE);
        assertThat(events.all()).noneMatch(event -> event.startsWith("store error"));
    }

    @Test
    @DisplayName("T6 an interrupt in the middle of a completion doesn't fail its repetitions")
    void interruptDuringCloseOut() {
        Deduplicator dedup = deduplicator(policy -> policy.inFlightWait(Duration.ofSeconds(10)));
        store.on(Op.COMPLETE, Faults.times(1, (call, real) -> {
            Thread.currentThread().interrupt();
            throw new DedupStoreException("interrupted", null);
        }));

        assertThat(dedup.execute(key("a"), context -> "effect")).isEqualTo(new Handled<>("effect", Completion.DONE));
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    @DisplayName("T7 composite IDs don't collide")
    void compositeIds() {
        MessageIdExtractor<Map<String, String>> composite =
                MessageIdExtractor.composite(List.of(message -> message.get("x"), message -> message.get("y")));
        List<String> texts = List.of("", "a", "b", "ab", "1:a", "a1:", ":", "1", "1:", "2:ab", "a,b", "a/b");
        List<String> ids = new ArrayList<>();
        for (String x : texts) {
            for (String y : texts) {
                String id = composite.extract(Map.of("x", x, "y", y));
                assertThat(id == null).isEqualTo(x.isEmpty() || y.isEmpty());
                if (id != null) {
                    ids.add(id);
                }
            }
        }
        assertThat(ids).doesNotHaveDuplicates().hasSize(121);
        assertThatIllegalArgumentException().isThrownBy(() -> MessageIdExtractor.composite(List.of()));
    }

    @Test
    @DisplayName("T8 case, trailing spaces and the Unicode form of an ID count")
    void idsAreExact() {
        Deduplicator dedup = deduplicator();
        List<String> ids = List.of("id", "ID", "id ", " id", "id\u0000", "ı̇d", "é", "e\u0301", "ﬁ", "fi", "ß", "ss");
        for (String id : ids) {
            assertThat(dedup.execute(key(id), context -> "")).isInstanceOf(Handled.class);
        }
        for (String id : ids) {
            assertThat(dedup.execute(key(id), context -> "")).isInstanceOf(Duplicate.class);
        }
    }

    @Test
    @DisplayName("T9 windows are durations, counted in full; zero and negative ones are refused")
    void windowUnits() {
        assertThat(Period.ofMonths(1).get(ChronoUnit.DAYS))
                .isZero(); // the trap: the days of a period are not its length
        for (Duration wrong : List.of(Duration.ZERO, Duration.ofDays(-1), Duration.ofNanos(999_999))) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> Window.of(wrong))
                    .withMessageContaining("window");
        }
        Deduplicator dedup = deduplicator(policy -> policy.window(Duration.parse("P30DT1H")));
        dedup.execute(key("a"), context -> "");
        clock.advance(Duration.ofDays(30));
        assertThat(dedup.execute(key("a"), context -> "")).isInstanceOf(Duplicate.class);
        clock.advance(Duration.ofHours(1));
        assertThat(dedup.execute(key("a"), context -> "")).isInstanceOf(Handled.class);
    }

    @Test
    @DisplayName("T10 a claim isn't its thread's: another thread asks and closes out")
    void threads() {
        Deduplicator dedup = deduplicator();
        CompletableFuture<Long> token = new CompletableFuture<>();

        var outcome = dedup.executeAsync(
                DedupCall.<Long>of(key("a")),
                context -> CompletableFuture.supplyAsync(() -> {
                    token.complete(context.fencingToken());
                    return context.fencingToken();
                }));

        assertThat(outcome).succeedsWithin(Duration.ofSeconds(5)).isInstanceOf(Handled.class);
        assertThat(token).isCompletedWithValueMatching(value -> value > 0);
        await().until(() -> DedupAdapter.of(dedup).inFlight() == 0);
    }
}

package io.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dedup.DedupOutcome.Completion;
import io.dedup.DedupOutcome.DeferReason;
import io.dedup.DedupOutcome.Deferred;
import io.dedup.DedupOutcome.Duplicate;
import io.dedup.DedupOutcome.Handled;
import io.dedup.adapter.DedupAdapter;
import io.dedup.policy.Window;
import io.dedup.store.ClaimRequest;
import io.dedup.store.Owner;
import io.dedup.store.StoredRecord.State;
import io.dedup.support.DeduplicatorTestBase;
import io.dedup.support.FaultyStore.Op;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ExecuteTest extends DeduplicatorTestBase {
    @Test
    void theFirstRunsAndIsDone() {
        DedupOutcome<String> outcome = deduplicator().execute(key("a"), context -> "effect");

        assertThat(outcome).isEqualTo(new Handled<>("effect", Completion.DONE));
        assertThat(outcome.mayAck()).isTrue();
        assertThat(stateOf("a")).isEqualTo(State.DONE);
        assertThat(events.all()).containsExactly("acquired a 1", "completed a");
        assertThat(store.calls()).hasSize(2);
    }

    @Test
    void aDuplicateIsAckedWithoutARun() {
        Deduplicator dedup = deduplicator();
        List<String> effects = new ArrayList<>();
        dedup.execute(key("a"), context -> effects.add("first"));

        DedupOutcome<Boolean> second = dedup.execute(key("a"), context -> effects.add("second"));

        assertThat(effects).containsExactly("first");
        assertThat(second).isEqualTo(new Duplicate<Boolean>(clock.instant(), null));
        assertThat(second.mayAck()).isTrue();
        assertThat(store.calls()).hasSize(3);
    }

    @Test
    void theNextWindowIsANewMessage() {
        Deduplicator dedup = deduplicator(policy -> policy.window(Duration.ofHours(1)));
        List<Integer> attempts = new ArrayList<>();
        dedup.execute(key("a"), context -> attempts.add(context.attempt()));
        clock.advance(Duration.ofHours(1).minusNanos(1_000));
        dedup.execute(key("a"), context -> attempts.add(context.attempt()));
        clock.advance(Duration.ofNanos(1_000));
        dedup.execute(key("a"), context -> attempts.add(context.attempt()));

        assertThat(attempts).containsExactly(1, 1);
    }

    @Test
    void anExceptionReleasesAndIsThrown() throws Exception {
        Deduplicator dedup = deduplicator();
        IOException failure = new IOException("no effect");

        assertThatThrownBy(() -> dedup.execute(key("a"), context -> {
                    throw failure;
                }))
                .isSameAs(failure);

        assertThat(stateOf("a")).isEqualTo(State.RELEASED);
        assertThat(dedup.execute(key("a"), DedupContext::attempt)).isEqualTo(new Handled<>(2, Completion.DONE));
        assertThat(events.all()).containsExactly("acquired a 1", "released a", "acquired a 2", "completed a");
    }

    @Test
    @DisplayName("T6 an Error releases, too")
    void errorReleases() {
        Deduplicator dedup = deduplicator();
        Error failure = new NoClassDefFoundError("x");

        assertThatThrownBy(() -> dedup.execute(key("a"), context -> {
                    throw failure;
                }))
                .isSameAs(failure);

        assertThat(stateOf("a")).isEqualTo(State.RELEASED);
        assertThat(DedupAdapter.of(dedup).inFlight()).isZero();
    }

    @Test
    void attemptsAndTokensGrow() {
        Deduplicator dedup = deduplicator();
        List<Long> tokens = new ArrayList<>();
        List<Integer> attempts = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> dedup.execute(key("a"), context -> {
                        tokens.add(context.fencingToken());
                        attempts.add(context.attempt());
                        throw new IllegalStateException("again");
                    }));
        }

        assertThat(attempts).containsExactly(1, 2, 3);
        assertThat(tokens).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void theContextTellsAboutTheRun() {
        Deduplicator dedup = deduplicator();

        dedup.execute(key("a"), context -> {
            assertThat(context.key()).isEqualTo(key("a"));
            assertThat(context.guarded()).isTrue();
            assertThat(context.attempt()).isEqualTo(1);
            assertThat(context.fencingToken()).isPositive();
            assertThat(context.leaseLost()).isFalse();
            assertThat(context.leaseRemaining()).isBetween(Duration.ofSeconds(20), Duration.ofSeconds(30));
            assertThat(DedupAdapter.of(dedup).inFlight()).isEqualTo(1);
            assertThat(stateOf("a")).isEqualTo(State.PROCESSING);
            return "";
        });
        assertThat(DedupAdapter.of(dedup).inFlight()).isZero();
    }

    @Test
    @DisplayName("T2 a duplicate in flight is deferred, never acked")
    void inFlightIsDeferred() {
        Deduplicator dedup = deduplicator();

        dedup.execute(key("a"), context -> {
            DedupOutcome<String> copy = dedup.execute(key("a"), inner -> "must not run");
            assertThat(copy).isInstanceOfSatisfying(Deferred.class, deferred -> {
                assertThat(deferred.reason()).isEqualTo(DeferReason.IN_FLIGHT);
                assertThat(deferred.retryAfter()).isEqualTo(Duration.ofSeconds(1));
            });
            assertThat(copy.mayAck()).isFalse();
            return "";
        });
        assertThat(events.all()).contains("deferred a IN_FLIGHT");
    }

    @Test
    void aShortRestOfALeaseIsTheDelay() {
        claimElsewhere("a", Duration.ofMillis(300));

        assertThat(deduplicator().execute(key("a"), context -> "must not run"))
                .isInstanceOfSatisfying(
                        Deferred.class,
                        deferred -> assertThat(deferred.retryAfter()).isEqualTo(Duration.ofMillis(300)));
    }

    @Test
    @DisplayName("a lost lease after a normal return is told: the effect may have happened twice")
    void leaseLostAfterSuccess() {
        DedupOutcome<String> outcome = deduplicator().execute(key("a"), context -> {
            loseTo("a");
            return "effect";
        });

        assertThat(outcome).isEqualTo(new Handled<>("effect", Completion.LEASE_LOST));
        assertThat(outcome.mayAck()).isTrue();
        assertThat(stateOf("a")).isEqualTo(State.PROCESSING);
        assertThat(events.all()).containsExactly("acquired a 1", "lost a");
    }

    @Test
    @DisplayName("a lost lease after an exception is deferred: whoever took over decides")
    void leaseLostAfterFailure() {
        IllegalStateException failure = new IllegalStateException("fenced off");

        DedupOutcome<String> outcome = deduplicator().execute(key("a"), context -> {
            loseTo("a");
            throw failure;
        });

        assertThat(outcome).isEqualTo(new Deferred<>(DeferReason.LEASE_LOST, Duration.ofSeconds(1), failure));
        assertThat(stateOf("a")).isEqualTo(State.PROCESSING);
        assertThat(events.all()).containsExactly("acquired a 1", "lost a", "deferred a LEASE_LOST");
    }

    @Test
    void aLeaseThatRanOutWithoutASuccessorIsCompleted() {
        DedupOutcome<String> outcome = deduplicator().execute(key("a"), context -> {
            clock.advance(Duration.ofMinutes(1));
            return "effect";
        });

        assertThat(outcome).isEqualTo(new Handled<>("effect", Completion.DONE));
        assertThat(stateOf("a")).isEqualTo(State.DONE);
    }

    @Test
    void policiesAreTheTopics() {
        Deduplicator dedup = deduplicator(
                store,
                policy -> policy,
                builder -> builder.topic("clicks", policy -> policy.window(Duration.ofMinutes(10)))
                        .topic("payments", policy -> policy.window(Window.forever())));
        for (String topic : List.of("orders", "clicks", "payments")) {
            dedup.execute(dedup.key(topic, "a"), context -> "");
        }
        clock.advance(Duration.ofMinutes(10));
        assertThat(dedup.execute(dedup.key("clicks", "a"), context -> "")).isInstanceOf(Handled.class);
        clock.advance(Duration.ofDays(7));
        assertThat(dedup.execute(dedup.key("orders", "a"), context -> "")).isInstanceOf(Handled.class);
        clock.advance(Window.MAX);
        assertThat(dedup.execute(dedup.key("payments", "a"), context -> "")).isInstanceOf(Duplicate.class);
    }

    @Test
    void consumersDoNotSuppressEachOther() {
        Deduplicator dedup = deduplicator();
        List<DedupKey> ran = new ArrayList<>();
        for (DedupKey key : List.of(
                DedupScope.of("billing", "orders").key("a"),
                DedupScope.of("shipping", "orders").key("a"),
                DedupScope.of("billing", "payments").key("a"),
                DedupScope.deadLetter("billing", "orders").key("a"))) {
            dedup.execute(key, context -> ran.add(context.key()));
            dedup.execute(key, context -> ran.add(context.key()));
        }
        assertThat(ran).hasSize(4).doesNotHaveDuplicates();
    }

    @Test
    void everyClaimHasAnOwnerOfItsOwn() {
        Deduplicator dedup = deduplicator();
        for (int i = 0; i < 3; i++) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> dedup.execute(key("a"), context -> {
                        throw new IllegalStateException("again");
                    }));
        }
        assertThat(store.calls(Op.CLAIM))
                .extracting(call -> ((ClaimRequest) call.requests().get(0)).owner())
                .doesNotHaveDuplicates()
                .hasSize(3);
    }

    private void claimElsewhere(String id, Duration lease) {
        store.intact()
                .claim(List.of(new ClaimRequest(key(id), new Owner("elsewhere"), lease)))
                .get(0);
    }

    private void loseTo(String id) {
        clock.advance(Duration.ofMinutes(1));
        claimElsewhere(id, Duration.ofMinutes(1));
    }
}

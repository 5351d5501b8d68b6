package io.dedup;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupOutcome.Completion;
import io.dedup.DedupOutcome.Deferred;
import io.dedup.DedupOutcome.Duplicate;
import io.dedup.DedupOutcome.Handled;
import io.dedup.adapter.Admission;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.Execution;
import io.dedup.adapter.WaitBudget;
import io.dedup.policy.OnStoreFailure;
import io.dedup.store.StoredRecord.State;
import io.dedup.support.DeduplicatorTestBase;
import io.dedup.support.Faults;
import io.dedup.support.FaultyStore.Op;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** D10: what a copy is answered while the first one's success waits for the store, and when that ends. */
class PendingSuccessTest extends DeduplicatorTestBase {
    private static final Duration LEASE = Duration.ofSeconds(30);

    /** Far shorter than the lease, as the outages of these tests are. */
    private static final Duration WINDOW = Duration.ofMillis(300);

    private final List<String> effects = new CopyOnWriteArrayList<>();
    private final Deduplicator dedup = deduplicator(policy -> policy.lease(LEASE));

    /** Succeeds while the store takes no completions, until its lease is over. */
    private void handledDuringAnOutage(String id) {
        store.on(Op.COMPLETE, Faults.down()).on(Op.RENEW, Faults.down());
        dedup.execute(key(id), context -> effects.add(id));
        clock.advance(LEASE.plusSeconds(1));
    }

    @Test
    @DisplayName("PROCESS: what was handled without a claim is known until the store knows it")
    void unguarded() {
        Deduplicator processing = deduplicator(policy -> policy.onStoreFailure(OnStoreFailure.PROCESS));
        store.down();
        processing.execute(key("a"), context -> effects.add("a"));

        assertThat(processing.execute(key("a"), context -> effects.add("a"))).isInstanceOf(Duplicate.class);

        assertThat(effects).containsExactly("a");
        store.heal();
        await().until(() -> stateOf("a") == State.DONE);
    }

    @Test
    @DisplayName("RETRY: a store that still takes no claims doesn't keep a known copy waiting")
    void knownWhileDown() {
        handledDuringAnOutage("a");
        store.down();
        assertThat(dedup.execute(key("a"), context -> effects.add("a"))).isInstanceOf(Duplicate.class);
        assertThat(dedup.executeAll(List.of("a", "a"), DeduplicatorTestBase::key, items -> effects.add("a")))
                .allMatch(Duplicate.class::isInstance);
        assertThat(effects).containsExactly("a");
    }

    @Test
    @DisplayName("a copy of what waits gets its result, and one with another payload is a conflict")
    void resultAndPayload() {
        DedupCall<String> call =
                DedupCall.<String>of(key("a")).withResult(ResultCodec.utf8()).withFingerprint(new Fingerprint("x"));
        store.on(Op.COMPLETE, Faults.down());
        dedup.execute(call, context -> "result");

        assertThat(dedup.execute(call, context -> "twice"))
                .isInstanceOfSatisfying(
                        Duplicate.class,
                        duplicate -> assertThat(duplicate.value()).isEqualTo("result"));
        assertThat(dedup.execute(call.withFingerprint(new Fingerprint("y")), context -> "other"))
                .isInstanceOf(DedupOutcome.Rejected.class);
    }

    @Test
    @DisplayName("what an operator forgets runs again, also when this process knows that it has succeeded")
    void forgotten() {
        handledDuringAnOutage("a");

        assertThat(dedup.forget(key("a"), LiveLease.RESPECT)).isNotNull();

        assertThat(DedupAdapter.of(dedup).pendingCompletions()).isZero();
        store.heal();
        assertThat(dedup.execute(key("a"), context -> effects.add("a"))).isInstanceOf(Handled.class);
        assertThat(effects).containsExactly("a", "a");
        assertThat(stateOf("a")).isEqualTo(State.DONE);
    }

    @Test
    @DisplayName("after the store has answered nothing is kept: when the window is over the message is new")
    void nothingIsKept() {
        handledDuringAnOutage("a");
        store.heal();
        await().until(() -> DedupAdapter.of(dedup).pendingCompletions() == 0);
        clock.advance(Duration.ofDays(30));

        assertThat(dedup.execute(key("a"), context -> effects.add("a"))).isInstanceOf(Handled.class);

        assertThat(effects).containsExactly("a", "a");
    }

    private static void awaitEnd(Duration window, long began) {
        await().until(() -> System.nanoTime() - began > window.toNanos());
    }

    @ParameterizedTest
    @EnumSource(names = {"PROCESS", "RETRY"})
    @DisplayName("an outage that outlasts the window: the next message with the ID is a new one, then and afterwards")
    void windowEndsInTheOutage(OnStoreFailure onStoreFailure) {
        boolean process = onStoreFailure == OnStoreFailure.PROCESS;
        Deduplicator clicks = deduplicator(
                policy -> policy.lease(LEASE).window(WINDOW).maxDeaths(3).onStoreFailure(onStoreFailure));
        if (process) {
            store.down();
        } else { // an earlier attempt has died, and counts no more once the message was handled
            begin(clicks, "a").abandon();
            clock.advance(LEASE.plusSeconds(1));
            store.on(Op.COMPLETE, Faults.down()).on(Op.RENEW, Faults.down());
        }
        clicks.execute(key("a"), context -> effects.add("first"));
        store.down();
        awaitEnd(WINDOW, System.nanoTime());

        DedupOutcome<Boolean> next = clicks.execute(key("a"), context -> effects.add("second"));

        if (process) {
            assertThat(next).isInstanceOf(Handled.class);
            awaitEnd(WINDOW, System.nanoTime());
        } else {
            assertThat(next).isInstanceOf(Deferred.class);
        }
        store.heal();
        await().until(() -> DedupAdapter.of(clicks).pendingWrites() == 0);
        assertThat(store.find(key("a")).stream()).allSatisfy(record -> {
            assertThat(record.state()).isEqualTo(State.RELEASED);
            assertThat(record.deaths()).isZero();
        });
        assertThat(clicks.execute(key("a"), DedupContext::attempt))
                .isEqualTo(new Handled<>(process ? 1 : 2, Completion.DONE));
        assertThat(effects).containsExactlyElementsOf(process ? List.of("first", "second") : List.of("first"));
        assertThat(events.count("dropped a")).isEqualTo(process ? 2 : 1);
    }

    private static Execution begin(Deduplicator by, String id) {
        Delivery delivery = Delivery.of(by.topic(TOPIC), id, null, () -> "orders-0@17");
        Execution execution = ((Admission.Run) DedupAdapter.of(by).admit(delivery, WaitBudget.none())).execution();
        execution.begin();
        return execution;
    }

    @Test
    @DisplayName("a store that grants claims, and has taken no completion since before the window: the message is new")
    void grantedAfterTheWindow() {
        Deduplicator clicks = deduplicator(policy -> policy.lease(LEASE).window(WINDOW));
        store.on(Op.COMPLETE, Faults.down()).on(Op.RENEW, Faults.down()).on(Op.RELEASE, Faults.down());
        clicks.execute(key("a"), context -> effects.add("first"));
        clock.advance(LEASE.plusSeconds(1));
        awaitEnd(WINDOW, System.nanoTime());

        assertThat(clicks.execute(key("a"), context -> effects.add("second"))).isInstanceOf(Handled.class);
    }

    @Test
    @DisplayName(
            "a success that is known for longer than its window, because its run waits for others, keeps nobody out")
    void queuedForLongerThanTheWindow() {
        Deduplicator clicks = deduplicator(policy -> policy.lease(LEASE).window(WINDOW));
        Execution first = begin(clicks, "a");
        first.returned();
        clock.advance(LEASE.plusSeconds(1));
        awaitEnd(WINDOW, System.nanoTime());

        assertThat(clicks.execute(key("a"), context -> effects.add("second"))).isInstanceOf(Handled.class);
        assertThat(first.succeed(null, WaitBudget.none())).isEqualTo(Completion.LEASE_LOST);
    }

    @ParameterizedTest
    @EnumSource(names = {"PROCESS", "RETRY"})
    @DisplayName("what is recorded after an outage counts from the end of its handler")
    void restOfTheWindow(OnStoreFailure onStoreFailure) {
        Duration window = Duration.ofDays(7);
        Deduplicator clicks =
                deduplicator(policy -> policy.lease(LEASE).window(window).onStoreFailure(onStoreFailure));
        store.on(Op.COMPLETE, Faults.down());
        if (onStoreFailure == OnStoreFailure.PROCESS) {
            store.down();
        }
        long before = System.nanoTime();
        clicks.execute(key("a"), context -> effects.add("first"));
        long after = System.nanoTime();
        await().until(() -> System.nanoTime() - after > Duration.ofMillis(100).toNanos());
        Duration atLeast = Duration.ofNanos(System.nanoTime() - after);
        store.heal();
        await().until(() -> stateOf("a") == State.DONE);

        Duration remembered = Duration.between(
                requireNonNull(record("a").completedAt()),
                requireNonNull(record("a").expiresAt()));
        assertThat(remembered)
                .isBetween(
                        window.minusNanos(System.nanoTime() - before).minusSeconds(1),
                        window.minus(atLeast).plusMillis(1));
    }
}

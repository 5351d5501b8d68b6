package io.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupOutcome.Completion;
import io.dedup.DedupOutcome.Deferred;
import io.dedup.DedupOutcome.Duplicate;
import io.dedup.DedupOutcome.Handled;
import io.dedup.DedupOutcome.Rejected;
import io.dedup.adapter.Admission;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.WaitBudget;
import io.dedup.store.StoredRecord.State;
import io.dedup.store.memory.InMemoryDedupStore;
import io.dedup.support.DeduplicatorTestBase;
import io.dedup.support.Faults;
import io.dedup.support.FaultyStore;
import io.dedup.support.FaultyStore.Op;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ListenersTest extends DeduplicatorTestBase {
    private final Set<String> failedIn = ConcurrentHashMap.newKeySet();

    static Stream<Supplier<Throwable>> whatListenersThrow() {
        return Stream.of(
                () -> new IllegalStateException("a bug"),
                () -> new Error("what some languages throw for a missing part"),
                () -> new Exception("thrown without being declared"),
                OutOfMemoryError::new);
    }

    private DedupListener failing(Supplier<Throwable> thrown) {
        return (DedupListener) Proxy.newProxyInstance(
                DedupListener.class.getClassLoader(), new Class<?>[] {DedupListener.class}, (proxy, method, args) -> {
                    if (method.getDeclaringClass() == DedupListener.class) {
                        failedIn.add(method.getName());
                        throw thrown.get();
                    }
                    return method.getName().equals("hashCode") ? 1 : "failing listener";
                });
    }

    @ParameterizedTest
    @MethodSource("whatListenersThrow")
    void changeNoOutcomeByWhatTheyThrow(Supplier<Throwable> thrown) {
        Deduplicator dedup = deduplicator(
                store,
                policy -> policy.maxDeaths(1),
                builder -> builder.listener(failing(thrown)).listener(events));

        assertThat(dedup.execute(key("a"), context -> "")).isEqualTo(new Handled<>("", Completion.DONE));
        assertThat(dedup.execute(key("a"), context -> "")).isInstanceOf(Duplicate.class);
        assertThatIllegalStateException()
                .isThrownBy(() -> dedup.execute(key("b"), context -> {
                    throw new IllegalStateException("no effect");
                }))
                .withMessage("no effect");
        assertThat(stateOf("b")).isEqualTo(State.RELEASED);
        DedupCall<String> first = DedupCall.<String>of(key("a")).withFingerprint(new Fingerprint("x"));
        assertThat(dedup.execute(first, context -> "")).isInstanceOf(Duplicate.class);
        dedup.execute(key("c"), context -> {
            assertThat(dedup.execute(key("c"), inner -> "")).isInstanceOf(Deferred.class);
            return "";
        });
        store.on(Op.COMPLETE, Faults.down());
        assertThat(dedup.execute(key("d"), context -> "")).isEqualTo(new Handled<>("", Completion.PENDING));
        store.heal();
        await().until(() -> stateOf("d") == State.DONE);
        assertThat(dedup.executeAll(List.of("e", "e"), DeduplicatorTestBase::key, items -> {}))
                .satisfiesExactly(
                        leader -> assertThat(leader).isInstanceOf(Handled.class),
                        copy -> assertThat(copy).isInstanceOf(Duplicate.class));
        ((Admission.Run) DedupAdapter.of(dedup)
                        .admit(Delivery.of(dedup.topic(TOPIC), "f", null, () -> "x"), WaitBudget.none()))
                .execution()
                .abandon(); // as a process does that dies
        clock.advance(Duration.ofMinutes(1));
        assertThat(dedup.execute(key("f"), context -> "")).isInstanceOf(Rejected.class);

        assertThat(failedIn)
                .contains(
                        "acquired",
                        "completed",
                        "duplicate",
                        "released",
                        "deferred",
                        "storeError",
                        "storeCalled",
                        "completionPending",
                        "copyInBatch",
                        "tookOver",
                        "poison");
        assertThat(events.count("completed a")).isEqualTo(2); // once for each of the two registrations
    }

    @ParameterizedTest
    @MethodSource("whatListenersThrow")
    void doNotEndTheHeartbeat(Supplier<Throwable> thrown) {
        FaultyStore running = new FaultyStore(new InMemoryDedupStore());
        Deduplicator dedup = deduplicator(
                running, policy -> policy.lease(Duration.ofMillis(150)), builder -> builder.listener(failing(thrown)));
        running.on(Op.RENEW, Faults.times(2, Faults.down()));

        dedup.execute(key("a"), context -> {
            await().until(() -> running.calls(Op.RENEW).size() >= 5);
            return "";
        });

        assertThat(running.find(key("a")).orElseThrow().state()).isEqualTo(State.DONE);
        assertThat(failedIn).contains("storeError");
    }

    @Test
    void areToldOfEveryCallOfTheStore() {
        List<String> calls = new CopyOnWriteArrayList<>();
        Deduplicator dedup = deduplicator(
                store,
                policy -> policy,
                builder -> builder.listener(new DedupListener() {
                    @Override
                    public void storeCalled(String operation, int keys, Duration took) {
                        assertThat(took).isGreaterThanOrEqualTo(Duration.ZERO);
                        calls.add(operation + " " + keys);
                    }
                }));

        dedup.execute(key("a"), context -> "");
        assertThat(calls).containsExactly("claim 1", "complete 1");
        dedup.executeAll(List.of("b", "c"), DeduplicatorTestBase::key, batch -> {});
        assertThat(calls).containsExactly("claim 1", "complete 1", "claim 2", "complete 2");
        store.on(Op.CLAIM, Faults.down());
        dedup.execute(key("d"), context -> "");
        assertThat(calls).element(4).isEqualTo("claim 1");
    }

    @Test
    void areToldInOrder() {
        StringBuilder told = new StringBuilder();
        Deduplicator dedup = deduplicator(
                store,
                policy -> policy,
                builder -> builder.listener(new DedupListener() {
                            @Override
                            public void acquired(DedupKey key, int attempt) {
                                told.append("1");
                            }
                        })
                        .listener(new DedupListener() {
                            @Override
                            public void acquired(DedupKey key, int attempt) {
                                told.append("2");
                            }
                        }));
        dedup.execute(key("a"), context -> "");

        assertThat(told).hasToString("12");
    }
}

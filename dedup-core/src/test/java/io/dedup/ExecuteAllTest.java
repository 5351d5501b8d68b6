package io.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dedup.BatchDedupHandler.Item;
import io.dedup.DedupOutcome.Completion;
import io.dedup.DedupOutcome.DeferReason;
import io.dedup.DedupOutcome.Deferred;
import io.dedup.DedupOutcome.Duplicate;
import io.dedup.DedupOutcome.Handled;
import io.dedup.DedupOutcome.Rejected;
import io.dedup.adapter.DedupAdapter;
import io.dedup.store.ClaimRequest;
import io.dedup.store.Owner;
import io.dedup.store.StoredRecord.State;
import io.dedup.support.DeduplicatorTestBase;
import io.dedup.support.FaultyStore.Op;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ExecuteAllTest extends DeduplicatorTestBase {
    private final List<String> ran = new ArrayList<>();

    @Test
    void allAreClaimedAndCompletedWithOneCallEach() {
        List<String> ids = IntStream.range(0, 500).mapToObj(Integer::toString).toList();

        List<DedupOutcome<@Nullable Void>> outcomes =
                deduplicator().executeAll(ids, DeduplicatorTestBase::key, this::run);

        assertThat(ran).isEqualTo(ids);
        assertThat(outcomes).hasSize(500).containsOnly(new Handled<>(null, Completion.DONE));
        assertThat(store.calls()).hasSize(2).allMatch(call -> call.requests().size() > 1);
    }

    @Test
    void anEmptyBatchAsksNobody() {
        assertThat(deduplicator().executeAll(List.<String>of(), DeduplicatorTestBase::key, this::run))
                .isEmpty();
        assertThat(store.calls()).isEmpty();
    }

    @Test
    @DisplayName("an item without a usable ID is rejected alone: redeliveries of its batch would never get past it")
    void itemsWithoutAnIdAreRejected() {
        Deduplicator dedup = deduplicator();
        assertThat(dedup.executeAll(List.of("", "a", " ", "b", "a"), DeduplicatorTestBase::key, this::run))
                .satisfiesExactly(
                        empty -> assertThat(empty).isInstanceOf(Rejected.class),
                        a -> assertThat(a).isEqualTo(new Handled<>(null, Completion.DONE)),
                        blank -> assertThat(blank).isInstanceOf(Rejected.class),
                        b -> assertThat(b).isEqualTo(new Handled<>(null, Completion.DONE)),
                        copy -> assertThat(copy).isInstanceOf(Duplicate.class));
        assertThat(ran).containsExactly("a", "b");
        assertThat(dedup.executeAll(List.of(""), DeduplicatorTestBase::key, this::run))
                .satisfiesExactly(empty -> assertThat(empty.mayAck()).isFalse());
    }

    @Test
    void whatElseAKeyThrowsLeavesTheCallBeforeAnythingIsClaimed() {
        assertThatThrownBy(() -> deduplicator()
                        .executeAll(List.of("a", "b"), id -> id.equals("a") ? key(id) : missing(), this::run))
                .hasMessage("no answer");
        assertThat(store.calls()).isEmpty();
    }

    private static DedupKey missing() {
        throw new IllegalStateException("no answer");
    }

    @Test
    void duplicatesAndCopiesAreNotHandedToTheHandler() {
        Deduplicator dedup = deduplicator();
        dedup.execute(key("done"), context -> "");
        store.intact()
                .claim(List.of(new ClaimRequest(key("elsewhere"), new Owner("o"), Duration.ofSeconds(10))))
                .get(0);

        List<DedupOutcome<@Nullable Void>> outcomes = dedup.executeAll(
                List.of("a", "done", "b", "a", "elsewhere", "a", "done", "elsewhere"),
                DeduplicatorTestBase::key,
                this::run);

        assertThat(ran).containsExactly("a", "b");
        assertThat(outcomes.stream().map(each -> each.getClass().getSimpleName()))
                .containsExactly(
                        "Handled",
                        "Duplicate",
                        "Handled",
                        "Duplicate",
                        "Deferred",
                        "Duplicate",
                        "Duplicate",
                        "Deferred");
        assertThat(events.all())
                .contains("copy a", "duplicate done", "deferred elsewhere IN_FLIGHT")
                .doesNotContain("copy done");
        assertThat(events.count("duplicate done")).isEqualTo(2);
        assertThat(events.count("deferred elsewhere IN_FLIGHT")).isEqualTo(2);
    }

    @Test
    void aBatchOfDuplicatesDoesNotCallTheHandler() {
        Deduplicator dedup = deduplicator();
        dedup.execute(key("a"), context -> "");

        dedup.executeAll(List.of("a", "a"), DeduplicatorTestBase::key, items -> {
            throw new AssertionError("called");
        });

        assertThat(ran).isEmpty();
    }

    @Test
    void aFailureReleasesAllAndIsThrown() {
        Deduplicator dedup = deduplicator();
        IOException failure = new IOException("no effect");

        assertThatThrownBy(() -> dedup.executeAll(List.of("a", "b", "a"), DeduplicatorTestBase::key, items -> {
                    throw failure;
                }))
                .isSameAs(failure);

        assertThat(stateOf("a")).isEqualTo(State.RELEASED);
        assertThat(stateOf("b")).isEqualTo(State.RELEASED);
        assertThat(DedupAdapter.of(dedup).inFlight()).isZero();
        assertThat(store.calls(Op.RELEASE)).hasSize(1);
        dedup.executeAll(List.of("a", "b"), DeduplicatorTestBase::key, items -> {
            assertThat(items).extracting(item -> item.context().attempt()).containsExactly(2, 2);
        });
    }

    @Test
    @DisplayName("T6 an Error of a batch handler releases all")
    void errorReleasesAll() {
        assertThatThrownBy(() -> deduplicator().executeAll(List.of("a", "b"), DeduplicatorTestBase::key, items -> {
                    throw new StackOverflowError();
                }))
                .isInstanceOf(StackOverflowError.class);

        assertThat(stateOf("a")).isEqualTo(State.RELEASED);
        assertThat(stateOf("b")).isEqualTo(State.RELEASED);
    }

    @Test
    void aFailureAfterALostLeaseDefersTheBatchAndItsCopies() {
        List<DedupOutcome<@Nullable Void>> outcomes = deduplicator()
                .executeAll(List.of("a", "b", "a"), DeduplicatorTestBase::key, items -> {
                    clock.advance(Duration.ofMinutes(1));
                    store.intact()
                            .claim(List.of(new ClaimRequest(key("b"), new Owner("o"), Duration.ofMinutes(1))))
                            .get(0);
                    throw new IllegalStateException("fenced off");
                });

        assertThat(outcomes)
                .hasSize(3)
                .allSatisfy(each -> assertThat(each)
                        .isInstanceOfSatisfying(
                                Deferred.class,
                                deferred -> assertThat(deferred.reason()).isEqualTo(DeferReason.LEASE_LOST)));
        assertThat(stateOf("a")).isEqualTo(State.RELEASED);
        assertThat(stateOf("b")).isEqualTo(State.PROCESSING);
    }

    @Test
    void aLostLeaseIsToldForItsItemOnly() {
        List<DedupOutcome<@Nullable Void>> outcomes = deduplicator()
                .executeAll(List.of("a", "b", "c"), DeduplicatorTestBase::key, items -> {
                    clock.advance(Duration.ofMinutes(1));
                    store.intact()
                            .claim(List.of(new ClaimRequest(key("b"), new Owner("o"), Duration.ofMinutes(1))))
                            .get(0);
                });

        assertThat(outcomes)
                .containsExactly(
                        new Handled<>(null, Completion.DONE),
                        new Handled<>(null, Completion.LEASE_LOST),
                        new Handled<>(null, Completion.DONE));
    }

    @Test
    void contextsBelongToTheirItems() {
        deduplicator().executeAll(List.of("a", "b"), DeduplicatorTestBase::key, items -> {
            for (Item<String> item : items) {
                assertThat(item.context().key()).isEqualTo(key(item.value()));
            }
        });
    }

    @Test
    void policiesAreTheTopicsOfTheItems() {
        Deduplicator dedup = deduplicator(
                store,
                policy -> policy,
                builder -> builder.topic("clicks", policy -> policy.window(Duration.ofMinutes(10))));
        List<DedupKey> keys = List.of(dedup.key("orders", "a"), dedup.key("clicks", "a"));
        dedup.executeAll(keys, key -> key, items -> assertThat(items).hasSize(2));
        clock.advance(Duration.ofMinutes(10));

        assertThat(dedup.executeAll(keys, key -> key, items -> assertThat(items).hasSize(1)))
                .satisfiesExactly(
                        orders -> assertThat(orders).isInstanceOf(Duplicate.class),
                        clicks -> assertThat(clicks).isInstanceOf(Handled.class));
    }

    private void run(List<Item<String>> items) {
        items.forEach(item -> ran.add(item.value()));
    }
}

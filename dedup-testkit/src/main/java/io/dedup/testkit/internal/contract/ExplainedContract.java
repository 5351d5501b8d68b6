package io.dedup.testkit.internal.contract;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.DedupScope;
import io.dedup.Deduplicator;
import io.dedup.LiveLease;
import io.dedup.OperatorResult;
import io.dedup.adapter.Admission;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.Execution;
import io.dedup.adapter.QueueMessageOrigin;
import io.dedup.adapter.WaitBudget;
import io.dedup.duplicate.DuplicateCause;
import io.dedup.duplicate.DuplicateDetails;
import io.dedup.duplicate.MessagePlace;
import io.dedup.engine.Deduplicators;
import io.dedup.store.DedupStore;
import io.dedup.store.StoredResult;
import io.dedup.testkit.internal.scenario.CallForm;
import io.dedup.testkit.internal.scenario.ContractGroup;
import io.dedup.testkit.internal.scenario.KeyUnderTest;
import io.dedup.testkit.internal.scenario.UniqueNames;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Duplicates are explained from what the store keeps with the first message. */
public abstract class ExplainedContract extends ContractGroup {
    private static final MessagePlace FIRST = new MessagePlace("3", 36, 7, 30);
    private static final MessagePlace OTHER = new MessagePlace("4", 12, 8, 10);

    /** A process, and the duplicates that were reported to it. */
    private final class Instance implements AutoCloseable {
        private final Map<String, DuplicateDetails> explained = new ConcurrentHashMap<>();
        private final DedupScope scope;
        private final Deduplicator dedup;

        Instance(DedupStore store, DedupScope scope, boolean explains) {
            this.scope = scope;
            this.dedup = Deduplicators.builder(store)
                    .consumer(scope.consumer())
                    .topic(
                            scope.topic(),
                            policy -> policy.window(KeyUnderTest.WINDOW).explainDuplicates(explains))
                    .listener(new DedupListener() {
                        @Override
                        public void explained(DedupKey key, DuplicateDetails details) {
                            explained.put(key.messageId(), details);
                        }
                    })
                    .build();
        }

        Delivery delivery(String id, MessagePlace place) {
            return Delivery.of(
                    dedup.topic(scope.topic()),
                    id,
                    null,
                    QueueMessageOrigin.of(() -> "message", place, "sender", first -> DuplicateCause.REPLAYED));
        }

        Admission deliver(String id, MessagePlace place, byte @Nullable [] result) {
            Admission admission = DedupAdapter.of(dedup).admit(delivery(id, place), WaitBudget.none());
            if (admission instanceof Admission.Run run) {
                handle(run.execution(), result);
            }
            return admission;
        }

        void handle(Execution execution, byte @Nullable [] result) {
            execution.begin();
            execution.succeed(result, WaitBudget.none());
        }

        List<Admission> deliverAll(int count, MessagePlace place) {
            List<Delivery> deliveries = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                deliveries.add(delivery("batch-" + i, at(place, i)));
            }
            List<Admission> admissions = DedupAdapter.of(dedup)
                    .admitAll(deliveries, WaitBudget.none())
                    .admissions();
            List<Execution> runs = new ArrayList<>();
            for (Admission admission : admissions) {
                if (admission instanceof Admission.Run run) {
                    run.execution().begin();
                    runs.add(run.execution());
                }
            }
            DedupAdapter.of(dedup).succeedAll(runs, WaitBudget.none());
            return admissions;
        }

        void assertExplained(String id, DuplicateCause cause, @Nullable MessagePlace first) {
            DuplicateDetails details = requireNonNull(explained.remove(id));
            if (fixture().explains()) {
                assertThat(details.cause()).isEqualTo(cause);
                assertThat(details.first()).isEqualTo(first);
            } else {
                assertThat(details.cause()).isEqualTo(DuplicateCause.UNKNOWN);
                assertThat(details.first()).isNull();
            }
        }

        @Override
        public void close() {
            dedup.close();
        }
    }

    private static MessagePlace at(MessagePlace place, int offset) {
        return new MessagePlace(place.queue(), offset, place.mark(), -1);
    }

    private Instance process(DedupScope scope) {
        return new Instance(store(), scope, true);
    }

    private Instance elsewhere(DedupScope scope) {
        return new Instance(fixture().secondInstance(), scope, true);
    }

    @Test
    @DisplayName("another process knows whether a copy is the same message or another one, and where the first was")
    void elsewhere() {
        DedupScope scope = newScope();
        try (Instance here = process(scope);
                Instance there = elsewhere(scope)) {
            assertThat(here.deliver("a", FIRST, null)).isInstanceOf(Admission.Run.class);
            for (Instance each : List.of(here, there)) {
                assertThat(each.deliver("a", OTHER, null)).isInstanceOf(Admission.Duplicate.class);
                each.assertExplained("a", DuplicateCause.RESENT, FIRST);
                assertThat(each.deliver("a", FIRST, null)).isInstanceOf(Admission.Duplicate.class);
                each.assertExplained("a", DuplicateCause.REPLAYED, FIRST);
            }
        }
    }

    @Test
    @DisplayName("each message of a batch keeps its own place")
    void batches() {
        DedupScope scope = newScope();
        int count = 40;
        try (Instance here = process(scope);
                Instance there = elsewhere(scope)) {
            assertThat(here.deliverAll(count, FIRST)).hasOnlyElementsOfType(Admission.Run.class);
            assertThat(there.deliverAll(count, OTHER)).hasOnlyElementsOfType(Admission.Duplicate.class);
            for (int i = 0; i < count; i++) {
                there.assertExplained("batch-" + i, DuplicateCause.RESENT, at(FIRST, i));
            }
            assertThat(there.deliverAll(count, FIRST)).hasOnlyElementsOfType(Admission.Duplicate.class);
            for (int i = 0; i < count; i++) {
                there.assertExplained("batch-" + i, DuplicateCause.REPLAYED, at(FIRST, i));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 255, 5_000})
    @DisplayName("a result is kept beside the place, unchanged")
    void withResult(int length) {
        DedupScope scope = newScope();
        byte[] result = new byte[length];
        Arrays.fill(result, (byte) 0xff);
        try (Instance here = process(scope);
                Instance there = elsewhere(scope)) {
            here.deliver("a", FIRST, result);
            assertThat(there.deliver("a", OTHER, null))
                    .isInstanceOfSatisfying(
                            Admission.Duplicate.class,
                            duplicate -> assertThat(duplicate.done().result()).isEqualTo(result));
            there.assertExplained("a", DuplicateCause.RESENT, FIRST);
        }
    }

    @Test
    @DisplayName(
            "records without a place are never guessed at: of a policy that keeps none, of operators, and of places too long")
    void withoutPlace() {
        DedupScope scope = newScope();
        try (Instance before = new Instance(store(), scope, false);
                Instance there = elsewhere(scope)) {
            before.deliver("a", FIRST, new byte[] {1});
            before.deliver("b", FIRST, null);
            assertThat(store().forceDone(scope.key("c"), KeyUnderTest.WINDOW, LiveLease.RESPECT))
                    .isEqualTo(OperatorResult.APPLIED);
            there.deliver("d", new MessagePlace("q".repeat(255), 1, 1, 0), null);
            for (String id : List.of("a", "b", "c", "d")) {
                assertThat(there.deliver(id, FIRST, null)).isInstanceOf(Admission.Duplicate.class);
                there.assertExplained(id, DuplicateCause.UNKNOWN, null);
            }
            there.deliver("e", FIRST, new byte[] {2}); // and a process that explains nothing returns the result alone
            assertThat(before.deliver("e", FIRST, null))
                    .isInstanceOfSatisfying(
                            Admission.Duplicate.class,
                            duplicate -> assertThat(duplicate.done().result()).containsExactly(2));
        }
    }

    @Test
    @DisplayName("a place ends with its record: after the window, when it is forgotten, and when it is erased")
    void ends() {
        DedupScope scope = newScope();
        try (Instance here = process(scope);
                Instance there = elsewhere(scope)) {
            here.deliver("a", FIRST, null);
            assertThat(StoredResult.decode(found(scope, "a")).place() != null)
                    .isEqualTo(fixture().explains());
            advance(KeyUnderTest.WINDOW_LENGTH.plus(step()));
            assertThat(there.deliver("a", OTHER, null)).isInstanceOf(Admission.Run.class);
            there.deliver("a", OTHER, null);
            there.assertExplained("a", DuplicateCause.REPLAYED, OTHER);

            assertThat(here.dedup.forget(scope.key("a"), LiveLease.RESPECT)).isEqualTo(OperatorResult.APPLIED);
            assertThat(store().find(scope.key("a"))).isEmpty();
            assertThat(here.deliver("a", FIRST, null)).isInstanceOf(Admission.Run.class);
            if (fixture().erases()) {
                assertThat(there.dedup.erase("a", LiveLease.RESPECT).isComplete())
                        .isTrue();
                assertThat(store().find(scope.key("a"))).isEmpty();
            }
        }
    }

    private byte @Nullable [] found(DedupScope scope, String id) {
        return fixture().secondInstance().find(scope.key(id)).orElseThrow().result();
    }

    @Test
    @DisplayName("places of any content are returned as they were")
    void hostilePlaces() {
        DedupScope scope = newScope();
        List<MessagePlace> places = List.of(
                new MessagePlace("", 0, 0, -1),
                new MessagePlace("\u0000\r\n\u202e", 1, -1, 0),
                new MessagePlace("D|1|2|3", Long.MAX_VALUE - 1, Integer.MIN_VALUE, Long.MAX_VALUE - 1),
                new MessagePlace("\uD83D\uDE00", -1, Integer.MAX_VALUE, -1));
        try (Instance here = process(scope);
                Instance there = elsewhere(scope)) {
            for (MessagePlace place : places) {
                String id = UniqueNames.next();
                here.deliver(id, place, null);
                there.deliver(id, new MessagePlace("else", 1, place.mark() ^ 1, 0), null);
                there.assertExplained(id, DuplicateCause.RESENT, place);
            }
        }
    }

    @Test
    @DisplayName("bytes that no place has are a result, whoever wrote them")
    void foreignBytes() {
        DedupScope scope = newScope();
        List<byte[]> foreign = List.of(
                new byte[] {-1, 2, 0},
                new byte[] {-1, 2, 0, 1},
                new byte[] {-1, 3, 0, 1, 5},
                new byte[] {-1, 2, 0, -1, 1, 1, 1},
                new byte[] {-1, 7, 0, 0});
        try (Instance there = elsewhere(scope)) {
            for (byte[] bytes : foreign) {
                String id = UniqueNames.next();
                subject(CallForm.ALONE, scope, id).done(bytes, null);
                assertThat(there.deliver(id, FIRST, null))
                        .isInstanceOfSatisfying(
                                Admission.Duplicate.class,
                                duplicate ->
                                        assertThat(duplicate.done().result()).isEqualTo(bytes));
                there.assertExplained(id, DuplicateCause.UNKNOWN, null);
            }
        }
    }
}

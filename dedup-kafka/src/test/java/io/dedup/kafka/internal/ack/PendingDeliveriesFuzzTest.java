package io.dedup.kafka.internal.ack;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.Deduplicator;
import io.dedup.adapter.Admission;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.Execution;
import io.dedup.adapter.WaitBudget;
import io.dedup.engine.Deduplicators;
import io.dedup.kafka.internal.Partitions;
import io.dedup.kafka.internal.failure.FailedWork;
import io.dedup.policy.DedupPolicy;
import io.dedup.store.StoredRecord.State;
import io.dedup.store.memory.InMemoryDedupStore;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongUnaryOperator;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What one consumer keeps of unfinished records, against a simulated partition log with gaps, copies, failures and losses. */
class PendingDeliveriesFuzzTest {
    private static final int PARTITIONS = 3;
    private static final int RECORDS = 25;

    enum Shape {
        FUTURES,
        MANUAL_RECORDS,
        MANUAL_BATCHES
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName(
            "K5 K12 K18 nothing is committed before its message is handled, nothing is handled twice, and all is committed")
    void everythingOnce(Shape shape) {
        int from = Integer.getInteger("dedup.test.seed", 0);
        for (int seed = from; seed < from + Integer.getInteger("dedup.test.seeds", 150); seed++) {
            try {
                new Run(seed, shape).all();
            } catch (Throwable e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
    }

    private record Given(
            PendingDelivery delivery,
            Execution execution,
            @Nullable ContainerAck ack,
            String id,
            Collection<PendingDelivery> batch) {}

    private record Closing(Given given, List<PendingDelivery> closing) {}

    private static final class Run {
        private final Random random;
        /** It never leaves, so that nothing but acknowledgments gets it committed. */
        private final @Nullable TopicPartition stays;

        private final boolean futures;
        private final boolean batches;
        private final InMemoryDedupStore store = new InMemoryDedupStore();
        private final Deduplicator dedup = Deduplicators.builder(store)
                .consumer("fuzz")
                .shutdownTimeout(Duration.ZERO)
                .defaults(DedupPolicy.builder()
                        .inFlightWait(Duration.ZERO)
                        .lease(Duration.ofMinutes(5))
                        .build())
                .build();
        private final PendingDeliveries pending = new PendingDeliveries();
        private final Map<TopicPartition, List<ConsumerRecord<String, String>>> logs = new HashMap<>();
        private final Map<TopicPartition, Long> positions = new HashMap<>();
        private final Map<TopicPartition, Long> committed = new HashMap<>();
        /** The lowest offset that was delivered since the last commit. */
        private final Map<TopicPartition, Long> delivered = new HashMap<>();

        private final Set<TopicPartition> away = new HashSet<>();
        /** Acknowledgments that other threads have sent, and that the container hasn't looked at. */
        private final List<Runnable> onTheirWay = new ArrayList<>();

        private final Queue<Runnable> seeks = new ArrayDeque<>();
        private final Redeliveries redeliveries;
        private final ManualAcks acks;
        private final List<Given> open = new ArrayList<>();
        private final List<Closing> closing = new ArrayList<>();
        private final Map<String, Integer> effects = new HashMap<>();
        private final Set<String> recovered = new TreeSet<>();
        private boolean calm;

        Run(int seed, Shape shape) {
            this.random = new Random(seed);
            this.stays = random.nextBoolean() ? new TopicPartition("t", random.nextInt(PARTITIONS)) : null;
            this.futures = shape == Shape.FUTURES;
            this.batches = shape == Shape.MANUAL_BATCHES;
            redeliveries = new Redeliveries(pending, id -> seek(id, position -> redeliveriesPosition(id, position)));
            acks = new ManualAcks(DedupAdapter.of(dedup), pending, redeliveries, WaitBudget::none, execution -> false);
            for (int p = 0; p < PARTITIONS; p++) {
                List<ConsumerRecord<String, String>> log = new ArrayList<>();
                long offset = random.nextInt(3);
                for (int i = 0; i < RECORDS; i++) {
                    log.add(record(p, offset, "m" + random.nextInt(RECORDS * 2)));
                    offset +=
                            random.nextInt(4) == 0 ? 1 + random.nextInt(4) : 1; // compacted, or a transaction's marker
                }
                log.add(record(p, offset, "last" + p));
                TopicPartition id = new TopicPartition("t", p);
                logs.put(id, log);
                positions.put(id, 0L);
                committed.put(id, 0L);
            }
        }

        private long redeliveriesPosition(TopicPartition id, long position) {
            return redeliveries.position(id, position);
        }

        private static ConsumerRecord<String, String> record(int partition, long offset, String id) {
            return new ConsumerRecord<>("t", partition, offset, id, id);
        }

        private void seek(TopicPartition id, LongUnaryOperator to) {
            seeks.add(() -> {
                if (!away.contains(id)) {
                    positions.compute(id, (key, position) -> to.applyAsLong(position));
                }
            });
        }

        void all() {
            try (dedup) {
                for (int step = 0; step < 400; step++) {
                    step();
                }
                calm = true;
                arriveInAnyOrder();
                for (int step = 0; step < 2_000 && !isAllCommitted(); step++) {
                    if (!away.isEmpty()) {
                        comeBack();
                    }
                    while (!closing.isEmpty()) {
                        endClosing();
                    }
                    poll();
                    if (!open.isEmpty()) {
                        end(open.remove(random.nextInt(open.size())), true);
                    }
                }
                assertThat(isAllCommitted())
                        .as("committed %s, positions %s, open %s", committed, positions, open.size())
                        .isTrue();
                effects.forEach((id, count) -> assertThat(count).as(id).isEqualTo(1));
            }
        }

        private boolean isAllCommitted() {
            return logs.entrySet().stream()
                    .allMatch(log -> committed.get(log.getKey())
                            == log.getValue().get(RECORDS).offset() + 1);
        }

        private void step() {
            switch (random.nextInt(12)) {
                case 0 -> {
                    if (random.nextInt(4) == 0) {
                        lose();
                    }
                }
                case 1 -> {
                    comeBack();
                    arriveInAnyOrder();
                }
                case 2, 3, 4, 5 -> poll();
                case 6, 7 -> endClosing();
                default -> {
                    if (!open.isEmpty()) {
                        end(open.remove(random.nextInt(open.size())), !futures || random.nextInt(4) > 0);
                    }
                }
            }
        }

        private void lose() {
            arriveInAnyOrder();
            Set<TopicPartition> lost = new HashSet<>();
            for (TopicPartition id : logs.keySet()) {
                if (random.nextBoolean() && !id.equals(stays) && away.add(id)) {
                    lost.add(id);
                }
            }
            pending.lost(lost, false).forEach((id, offset) -> seek(id, position -> Math.min(position, offset)));
        }

        /**
         * Somebody else than the container polls: partitions leave, and perhaps come back, and the container goes on with their
         * records.
         */
        private void rebalanceInAnothersPoll() {
            arriveInAnyOrder();
            Set<TopicPartition> lost = new HashSet<>(logs.keySet());
            lost.removeAll(away);
            lost.removeIf(id -> id.equals(stays) || random.nextInt(3) == 0);
            pending.lost(lost, true).forEach((id, offset) -> seek(id, position -> Math.min(position, offset)));
            lost.forEach(id -> positions.put(id, committed.get(id)));
            lost.removeIf(id -> random.nextBoolean());
            away.addAll(lost);
        }

        private void arriveInAnyOrder() {
            while (!onTheirWay.isEmpty()) {
                onTheirWay.remove(random.nextInt(onTheirWay.size())).run();
            }
        }

        /** The container commits what another thread sends after what its own thread sends later. */
        private void send(Runnable commit) {
            if (!calm && random.nextInt(4) == 0) {
                onTheirWay.add(commit);
            } else {
                commit.run();
            }
        }

        private void comeBack() {
            away.forEach(id -> positions.put(id, committed.get(id)));
            away.clear();
        }

        private void poll() {
            while (!seeks.isEmpty()) {
                seeks.remove().run();
            }
            pending.polled(null);
            Map<TopicPartition, Long> unsent = pending.takeUnsent();
            if (!calm && random.nextInt(4) == 0) { // the commit fails
                pending.unsent(unsent.keySet());
            } else {
                unsent.forEach(this::commit);
            }
            Deque<ConsumerRecord<String, String>> polled = new ArrayDeque<>();
            logs.forEach((id, log) -> {
                if (!away.contains(id)) {
                    log.stream()
                            .filter(record -> record.offset() >= positions.get(id))
                            .limit(1 + random.nextInt(6))
                            .forEach(record -> {
                                polled.add(record);
                                positions.put(id, record.offset() + 1);
                            });
                }
            });
            if (batches && !polled.isEmpty()) {
                if (!calm && random.nextInt(4) == 0) {
                    rebalanceInAnothersPoll();
                }
                deliver(polled);
            }
            while (!polled.isEmpty() && !batches) {
                if (!calm && random.nextInt(20) == 0) {
                    rebalanceInAnothersPoll();
                }
                ConsumerRecord<String, String> record = polled.peek();
                boolean goesOn = deliver(record);
                if (goesOn) {
                    polled.remove();
                } else {
                    break;
                }
                if (random.nextInt(3) == 0 && !open.isEmpty()) {
                    end(open.remove(random.nextInt(open.size())), !futures || calm || random.nextInt(4) > 0);
                }
            }
            Map<TopicPartition, Long> back = new HashMap<>();
            polled.forEach(record -> back.putIfAbsent(Partitions.of(record), record.offset()));
            back.forEach((id, offset) -> {
                if (!away.contains(id)) {
                    positions.put(id, pending.leftBelow(id, offset));
                }
            });
        }

        /** As AcknowledgedBatch does; leaves what is to come again. */
        private void deliver(Deque<ConsumerRecord<String, String>> polled) {
            List<ConsumerRecord<String, String>> batch = List.copyOf(polled);
            batch.forEach(this::delivered);
            List<Delivery> deliveries = batch.stream()
                    .map(record -> Delivery.of(dedup.topic("t"), record.value(), null, record::toString))
                    .toList();
            Map<Integer, PendingDelivery> firsts = new HashMap<>();
            Map<Integer, Admission> admissions = new HashMap<>();
            Map<String, Integer> runs = new HashMap<>();
            int cut = 0;
            for (; cut < batch.size(); cut++) {
                PendingDelivery first = pending.firstOf(deliveries.get(cut));
                if (first != null) {
                    firsts.put(cut, first);
                } else if (!runs.containsKey(batch.get(cut).value())) {
                    Admission admission = DedupAdapter.of(dedup).admit(deliveries.get(cut), WaitBudget.none());
                    if (admission instanceof Admission.Defer) {
                        break;
                    }
                    admissions.put(cut, admission);
                    if (admission instanceof Admission.Run) {
                        runs.put(batch.get(cut).value(), cut);
                    }
                }
            }
            List<ConsumerRecord<String, String>> before = batch.subList(0, cut);
            ContainerAck ack = cut < batch.size() ? null : ContainerAck.ofBatch(() -> send(() -> commitAll(before)));
            Map<Integer, PendingDelivery> given = new TreeMap<>();
            Map<PendingPartition, PendingDelivery> upTo = new HashMap<>();
            for (int i = 0; i < cut; i++) {
                if (admissions.get(i) instanceof Admission.Run run) {
                    PendingDelivery each = acks.given(batch.get(i), run.execution(), ack);
                    run.execution().begin();
                    given.put(i, each);
                    upTo.put(each.partition, each);
                } else if (firsts.containsKey(i) || !admissions.containsKey(i)) {
                    PendingDelivery first = firsts.containsKey(i)
                            ? firsts.get(i)
                            : given.get(runs.get(batch.get(i).value()));
                    pending.arrivals().following(first, batch.get(i), ack);
                } else {
                    pending.arrivals().finished(batch.get(i), ack);
                }
            }
            int again = cut;
            if (given.isEmpty()) {
                pending.request(ack);
            } else if (!calm && random.nextInt(5) == 0) { // nacked from one that it was given
                List<Integer> indexes = List.copyOf(given.keySet());
                int from = indexes.get(random.nextInt(indexes.size()));
                List<PendingDelivery> back = new ArrayList<>();
                Map<PendingPartition, PendingDelivery> done = new HashMap<>();
                given.forEach((index, each) -> {
                    if (index < from) {
                        done.put(each.partition, each);
                        effects.merge(batch.get(index).value(), 1, Integer::sum);
                    } else {
                        back.add(each);
                    }
                });
                acks.acknowledge(done.values(), null);
                acks.fail(back, new IllegalStateException());
                again = from;
            } else {
                given.forEach((index, each) -> effects.merge(batch.get(index).value(), 1, Integer::sum));
                PendingDelivery any = given.values().iterator().next();
                open.add(new Given(any, Objects.requireNonNull(any.execution), ack, "", upTo.values()));
            }
            if (again < batch.size()) {
                pending.request(null);
                int finished = 0;
                while (finished < again && !pending.unfinishedUpTo(batch.get(finished))) {
                    finished++;
                }
                commitAll(batch.subList(0, finished).stream()
                        .filter(record -> pending.mayCommit(Partitions.of(record), record.offset() + 1))
                        .toList());
                again = finished;
            }
            for (int i = 0; i < again; i++) {
                polled.remove();
            }
        }

        private void commitAll(List<ConsumerRecord<String, String>> records) {
            Map<TopicPartition, ConsumerRecord<String, String>> last = new HashMap<>();
            records.forEach(record -> last.put(Partitions.of(record), record));
            last.values().forEach(this::commit);
        }

        /** False when it and what follows is to come again. */
        private boolean deliver(ConsumerRecord<String, String> record) {
            delivered(record);
            if (futures && redeliveries.failureOf(record) != null) {
                return errorHandler(record);
            }
            Delivery delivery = Delivery.of(dedup.topic("t"), record.value(), null, record::toString);
            ContainerAck ack = ContainerAck.of(record, () -> send(() -> commit(record)));
            PendingDelivery first = pending.firstOf(delivery);
            if (first != null) {
                pending.arrivals().following(first, record, ack);
            } else {
                Admission admission = DedupAdapter.of(dedup).admit(delivery, WaitBudget.none());
                if (admission instanceof Admission.Run run) {
                    PendingDelivery given = acks.given(record, run.execution(), ack);
                    run.execution().begin();
                    if (!futures && !calm && !record.value().startsWith("last") && random.nextInt(6) == 0) {
                        acks.fail(List.of(given), new IllegalStateException());
                        return errorHandler(record);
                    }
                    if (!futures) {
                        effects.merge(record.value(), 1, Integer::sum);
                    }
                    open.add(new Given(given, run.execution(), ack, record.value(), List.of(given)));
                    return true;
                } else if (admission instanceof Admission.Defer) {
                    return false;
                }
                pending.arrivals().finished(record, ack);
            }
            pending.request(ack);
            if (futures) {
                redeliveries.fetch();
            }
            return true;
        }

        private void delivered(ConsumerRecord<String, String> record) {
            delivered.merge(Partitions.of(record), record.offset(), Math::min);
        }

        private boolean errorHandler(ConsumerRecord<String, String> record) {
            if (futures && redeliveries.mustWait(record)) {
                return false;
            }
            if (futures) {
                redeliveries.handedOver(record);
            }
            if (random.nextInt(3) > 0) {
                return false;
            }
            recovered.add(record.value());
            if (futures) {
                redeliveries.recovered(record);
            }
            return true;
        }

        private void end(Given given, boolean succeeds) {
            if (!futures) {
                acks.acknowledge(given.batch(), given.ack());
                return;
            }
            boolean ends = succeeds || given.id().startsWith("last"); // an error handler wouldn't commit it
            List<PendingDelivery> these = pending.closeOnly(List.of(given.delivery()), ends ? given.ack() : null);
            if (these.isEmpty()) {
                return;
            }
            if (ends) {
                effects.merge(given.id(), 1, Integer::sum);
                closing.add(new Closing(given, these));
            } else {
                Throwable failure = new IllegalStateException();
                boolean lost = FailedWork.release(DedupAdapter.of(dedup), List.of(given.execution()), failure);
                redeliveries.failed(given.delivery(), lost ? null : failure);
            }
        }

        private void endClosing() {
            if (!closing.isEmpty()) {
                Closing each = closing.remove(random.nextInt(closing.size()));
                var unused = each.given().execution().succeed(null, WaitBudget.none());
                pending.closed(each.closing(), each.given().ack());
                redeliveries.fetch();
            }
        }

        /** The first that a copy has followed may be in a partition that was lost: its next owner handles the message. */
        private boolean isUncommittedElsewhere(ConsumerRecord<String, String> copy) {
            return logs.entrySet().stream()
                    .anyMatch(log -> !log.getKey().equals(Partitions.of(copy))
                            && log.getValue().stream()
                                    .anyMatch(each -> each.value().equals(copy.value())
                                            && each.offset() >= committed.get(log.getKey())));
        }

        private boolean isDone(String id) {
            return store.find(dedup.key("t", id))
                    .filter(record -> record.state() == State.DONE)
                    .isPresent();
        }

        private void commit(ConsumerRecord<String, String> record) {
            commit(Partitions.of(record), record.offset() + 1);
        }

        private void commit(TopicPartition id, long asked) {
            assertThat(away).doesNotContain(id);
            long offset = pending.notMovedBack(id, asked); // as the consumer's wrapper does
            for (ConsumerRecord<String, String> each : logs.get(id)) {
                if (each.offset() < offset) {
                    assertThat(isDone(each.value()) || recovered.contains(each.value()) || isUncommittedElsewhere(each))
                            .as("%s is committed with %s, asked for %s", each, offset, asked)
                            .isTrue();
                }
            }
            assertThat(offset)
                    .as("%s-%s is committed again", id, asked)
                    .isGreaterThanOrEqualTo(Math.min(committed.get(id), delivered.getOrDefault(id, Long.MAX_VALUE)));
            delivered.remove(id);
            committed.put(id, offset);
        }
    }
}

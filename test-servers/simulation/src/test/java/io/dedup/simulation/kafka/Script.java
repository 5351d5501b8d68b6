package io.dedup.simulation.kafka;

import io.dedup.simulation.kafka.SimulatedConsumer.Reset;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.InvalidOffsetException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** Calls of a consumer, drawn from a seed, and what was observed. It draws the same calls in each world. */
final class Script {
    private static final int CALLS = 25;
    private static final int OPERATIONS = 20;
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private final World world;
    private final Random random;
    private final List<String> observations = new ArrayList<>();
    private final List<TopicPartition> partitions = new ArrayList<>();
    private final Map<TopicPartition, Long> ends = new HashMap<>();
    private final Reset reset;
    private final GroupProtocol protocol;
    private final boolean subscribes;
    private final int maxPollRecords;
    private final Set<TopicPartition> paused = new HashSet<>();
    private final Set<TopicPartition> elsewhere = new HashSet<>();
    private Consumer<String, String> consumer;
    private int appended;

    private Script(long seed, String topic, int partitions, World world) {
        this.world = world;
        this.random = new Random(seed);
        for (int i = 0; i < partitions; i++) {
            this.partitions.add(new TopicPartition(topic, i));
            ends.put(new TopicPartition(topic, i), 0L);
        }
        reset = List.of(Reset.values()).get(random.nextInt(3));
        protocol = List.of(GroupProtocol.values()).get(random.nextInt(2));
        subscribes = random.nextInt(2) == 0;
        maxPollRecords = random.nextInt(2) == 0 ? 1 : 4;
        if (random.nextInt(3) != 0) {
            world.commitBeginnings();
        }
        this.partitions.forEach(each -> append(each, random.nextInt(4)));
        consumer = open();
    }

    /** Runs it, and returns what was observed. */
    static List<String> run(long seed, String topic, int partitions, World world) {
        Script script = new Script(seed, topic, partitions, world);
        script.observations.add(script.reset + ", " + (script.subscribes ? script.protocol : "assigned") + ", "
                + script.maxPollRecords + " a poll");
        try {
            for (int i = 0; i < CALLS; i++) {
                script.call();
            }
            script.partitions.forEach(each -> script.observe("end: committed " + each, () -> script.committed(each)));
        } finally {
            world.otherLeaves();
            script.consumer.close();
        }
        return script.observations;
    }

    private Consumer<String, String> open() {
        consumer = world.open(reset, protocol, maxPollRecords);
        paused.clear();
        committedOfAll(); // it knows its coordinator: a call that is woken up has been sent
        join();
        return consumer;
    }

    /** Becomes a member, or assigns itself all partitions. Fetches nothing meanwhile. */
    private void join() {
        if (!subscribes) {
            consumer.assign(partitions);
            return;
        }
        consumer.subscribe(List.of(partitions.get(0).topic()), new ConsumerRebalanceListener() {
            @Override
            public void onPartitionsRevoked(Collection<TopicPartition> revoked) {
                note("revoked", revoked);
            }

            @Override
            public void onPartitionsAssigned(Collection<TopicPartition> assigned) {
                note("assigned", assigned);
                consumer.pause(assigned);
            }

            @Override
            public void onPartitionsLost(Collection<TopicPartition> lost) {
                note("lost", lost);
            }

            private void note(String what, Collection<TopicPartition> which) {
                if (!which.isEmpty()) {
                    observations.add("  " + what + " " + sorted(which));
                }
            }
        });
        settle(expected());
    }

    private Set<TopicPartition> expected() {
        Set<TopicPartition> expected = new HashSet<>(partitions);
        expected.removeAll(elsewhere);
        return expected;
    }

    /** Polls, with everything paused, until the assignment is this. */
    private void settle(Set<TopicPartition> expected) {
        long end = System.nanoTime() + LIMIT.toNanos();
        while (!consumer.assignment().equals(expected)) {
            if (System.nanoTime() > end) {
                throw new IllegalStateException("assigned " + consumer.assignment() + " instead of " + expected);
            }
            pollNothing();
        }
        Set<TopicPartition> running = new HashSet<>(consumer.assignment());
        paused.retainAll(running);
        if (protocol == GroupProtocol.EAGER) {
            paused.clear(); // they were revoked, and are new
        }
        running.removeAll(paused);
        findPositions();
        consumer.resume(running);
    }

    /** With {@code auto.offset.reset=none} it throws where nothing is committed. */
    private void pollNothing() {
        consumer.pause(consumer.assignment());
        try {
            if (!consumer.poll(Duration.ofMillis(5)).isEmpty()) {
                throw new IllegalStateException("paused partitions have records");
            }
        } catch (InvalidOffsetException e) {
            // It is observed by a call.
        }
    }

    /** A poll begins to look for positions, and doesn't wait for them: only now all have been found. */
    private void findPositions() {
        for (TopicPartition each : consumer.assignment()) {
            try {
                consumer.position(each);
            } catch (InvalidOffsetException e) {
                // A call observes it.
            }
        }
    }

    private TopicPartition any() {
        return partitions.get(random.nextInt(partitions.size()));
    }

    private long end(TopicPartition partition) {
        return ends.getOrDefault(partition, 0L);
    }

    private void append(TopicPartition partition, int count) {
        for (int i = 0; i < count; i++) {
            world.append(partition, "r" + ++appended);
            ends.merge(partition, 1L, Long::sum);
        }
    }

    private void call() {
        TopicPartition partition = any();
        int count = 1 + random.nextInt(4);
        long offset = random.nextInt((int) end(partition) + 4) - 1L;
        switch (random.nextInt(OPERATIONS)) {
            case 0, 1 -> append(partition, count);
            case 2 -> {
                world.gap(partition);
                ends.merge(partition, 2L, Long::sum);
            }
            case 3, 4, 5, 6 -> observe("poll " + count + " of " + partition, () -> poll(partition, count));
            case 7 ->
                observe("commitSync", () -> {
                    consumer.commitSync();
                    return committedOfAll();
                });
            case 8 -> {
                long committed = Math.max(0, offset);
                observe("commitSync " + partition + " " + committed, () -> {
                    consumer.commitSync(Map.of(partition, new OffsetAndMetadata(committed)));
                    return committed(partition);
                });
            }
            case 9 ->
                observe("commitAsync", () -> {
                    List<String> outcomes = new ArrayList<>();
                    consumer.commitAsync((offsets, e) -> outcomes.add(describe(offsets) + " " + e));
                    consumer.commitSync(Map.of());
                    return outcomes + " " + committedOfAll();
                });
            case 10 -> {
                observe("position " + partition, () -> consumer.position(partition));
                findPositions();
            }
            case 11 ->
                observe("seek " + partition + " " + offset, () -> {
                    consumer.seek(partition, offset);
                    return "";
                });
            case 12 ->
                observe("seekToBeginning " + partition, () -> {
                    consumer.seekToBeginning(List.of(partition));
                    return "";
                });
            case 13 ->
                observe("seekToEnd " + partition, () -> {
                    consumer.seekToEnd(List.of(partition));
                    return "";
                });
            case 14 ->
                observe("pause " + partition, () -> {
                    consumer.pause(List.of(partition));
                    paused.add(partition);
                    return sorted(consumer.paused());
                });
            case 15 ->
                observe("resume " + partition, () -> {
                    consumer.resume(List.of(partition));
                    paused.remove(partition);
                    return sorted(consumer.paused());
                });
            case 16 -> wakeUp(partition, random.nextInt(4));
            case 17 -> {
                long below = random.nextInt((int) end(partition) + 1);
                world.deleteRecords(partition, below);
                observations.add("records below " + below + " of " + partition + " are deleted");
                restart(); // what was fetched already may still be returned
            }
            case 18 -> rebalance();
            default ->
                observe(
                        "offsets",
                        () -> new TreeMap<>(strings(consumer.beginningOffsets(partitions))) + " "
                                + new TreeMap<>(strings(consumer.endOffsets(partitions))));
        }
        observations.add("  assigned " + sorted(consumer.assignment()) + ", paused " + sorted(consumer.paused()));
    }

    private void restart() {
        world.otherLeaves();
        elsewhere.clear();
        Consumer<String, String> closed = consumer;
        closed.close();
        observe("a call after close", () -> closed.poll(Duration.ZERO));
        open();
    }

    /** The other member joins, or leaves. What was sought is found before: how many polls a rebalance takes isn't compared. */
    private void rebalance() {
        findPositions();
        if (!subscribes) {
            observe("assign anew", () -> {
                consumer.assign(partitions.subList(0, 1));
                consumer.assign(partitions);
                paused.retainAll(partitions.subList(0, 1));
                return "";
            });
        } else if (elsewhere.isEmpty()) {
            elsewhere.addAll(world.otherJoins(this::pollNothing));
            settle(expected());
            observations.add("the other member takes " + sorted(elsewhere));
        } else {
            elsewhere.clear();
            world.otherLeaves();
            settle(expected());
        }
    }

    private void wakeUp(TopicPartition partition, int before) {
        consumer.wakeup();
        observe("woken up before call " + before, () -> switch (before) {
            case 0 -> consumer.poll(Duration.ofMillis(5)).isEmpty();
            case 1 -> committed(partition);
            case 2 -> {
                consumer.commitSync(Map.of(partition, new OffsetAndMetadata(end(partition))));
                yield "";
            }
            default -> consumer.endOffsets(List.of(partition)).get(partition);
        });
        observe("committed after it", () -> committed(partition));
    }

    /** Polls one partition until it has returned so many records, or all. */
    private String poll(TopicPartition partition, int count) {
        if (paused.contains(partition)) {
            return "paused";
        }
        Set<TopicPartition> others = new HashSet<>(consumer.assignment());
        others.removeAll(consumer.paused());
        others.remove(partition);
        consumer.pause(others);
        List<String> values = new ArrayList<>();
        try {
            long end = System.nanoTime() + LIMIT.toNanos();
            while ((maxPollRecords > 1 || values.size() < count) && consumer.position(partition) != end(partition)) {
                consumer.poll(Duration.ofMillis(20)).forEach(each -> values.add(each.offset() + "=" + each.value()));
                if (System.nanoTime() > end) {
                    return "stands at " + consumer.position(partition) + " after " + values;
                }
            }
            return values + " to " + consumer.position(partition);
        } finally {
            findPositions();
            consumer.resume(others);
        }
    }

    private String committed(TopicPartition partition) {
        OffsetAndMetadata committed = consumer.committed(Set.of(partition)).get(partition);
        return committed == null ? "none" : Long.toString(committed.offset());
    }

    private String committedOfAll() {
        return describe(consumer.committed(new HashSet<>(partitions)));
    }

    private static String describe(Map<TopicPartition, OffsetAndMetadata> offsets) {
        Map<String, String> described = new TreeMap<>();
        offsets.forEach((partition, offset) ->
                described.put(partition.toString(), offset == null ? "none" : Long.toString(offset.offset())));
        return described.toString();
    }

    private static Map<String, Long> strings(Map<TopicPartition, Long> offsets) {
        Map<String, Long> strings = new HashMap<>();
        offsets.forEach((partition, offset) -> strings.put(partition.toString(), offset));
        return strings;
    }

    private static Set<String> sorted(Collection<TopicPartition> some) {
        Set<String> sorted = new TreeSet<>();
        some.forEach(each -> sorted.add(each.toString()));
        return sorted;
    }

    private void observe(String what, Callable<?> call) {
        String outcome;
        try {
            outcome = String.valueOf(call.call());
        } catch (Exception e) {
            outcome = e.getClass().getSimpleName();
        }
        observations.add(what + ": " + outcome);
    }
}

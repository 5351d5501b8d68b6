package io.dedup.simulation.rocketmq;

import io.dedup.simulation.draw.MissingIds;
import io.dedup.simulation.judge.Ledger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.apache.rocketmq.common.message.MessageExt;

/**
 * A broker as the older client sees it: queues with the group's offsets, and a retry queue, in which what was sent back appears after
 * its delay as a message of its own. What has used up its attempts is dead-lettered.
 */
final class QueueBroker implements Broker {
    private final World world;
    private final List<Queue> queues = new ArrayList<>();
    private final List<Delayed> delayed = new ArrayList<>();
    private int changes;

    /** A queue, and what the group has consumed of it. */
    static final class Queue {
        final int number;
        private final List<Stored> log = new ArrayList<>();
        private int committed;
        private int owner = -1;

        private Queue(int number) {
            this.number = number;
        }
    }

    /** One entry of a queue; a message that is sent back gets another one. */
    record Stored(int number, String id, boolean hasId, int reconsumed, int explained, long arrived) {}

    private record Delayed(Stored stored, long at) {}

    QueueBroker(World world) {
        this.world = world;
        for (int i = 0; i <= world.circumstances.queues(); i++) { // the last one is the retry queue
            queues.add(new Queue(i));
        }
    }

    List<Queue> queues() {
        return queues;
    }

    private Queue retries() {
        return queues.get(queues.size() - 1);
    }

    @Override
    public void send(int number, String id, int group, boolean hasId) {
        queues.get(group % world.circumstances.queues()).log.add(new Stored(number, id, hasId, 0, 0, world.now()));
        changes++;
    }

    /** Moves what is due to the retry queue, and wakes its consumers. */
    private void deliverDelayed() {
        List<Delayed> due = delayed.stream()
                .filter(each -> each.at <= world.now())
                .sorted(Comparator.comparingLong(Delayed::at))
                .toList();
        if (!due.isEmpty()) {
            delayed.removeAll(due);
            due.forEach(each -> retries().log.add(each.stored));
            changes++;
        }
    }

    /** Waits at most so long until the queue has a message from this offset on. */
    void await(Queue queue, int offset, Duration atMost, BooleanSupplier stops) {
        long end = world.now() + atMost.toNanos();
        deliverDelayed();
        while (world.now() < end && !stops.getAsBoolean() && offset >= queue.log.size()) {
            long next = delayed.stream().mapToLong(Delayed::at).min().orElse(Long.MAX_VALUE);
            int known = changes;
            world.schedule.await(
                    () -> stops.getAsBoolean() || changes != known, Math.min(end, Math.max(next, world.now())), false);
            deliverDelayed();
        }
    }

    List<Stored> pull(Queue queue, int offset, int most) {
        List<Stored> log = queue.log;
        return List.copyOf(log.subList(Math.min(offset, log.size()), Math.min(log.size(), offset + most)));
    }

    int committed(Queue queue) {
        return queue.committed;
    }

    /** The offset below which everything is consumed. Only its owner commits. */
    void commit(Queue queue, int offset, Member process) {
        if (offset > queue.committed) {
            world.step(process.name() + ": commit queue " + queue.number + " " + offset);
        }
        queue.committed = Math.max(queue.committed, offset);
        changes++;
    }

    /** The client has taken a message out of its process queue because the listener was successful. */
    void consumed(Stored stored, Member process) {
        world.step(process.name() + ": ack " + stored.number + "=" + stored.id);
        world.ledger.acknowledged(
                stored.id, process.name(), !stored.hasId && world.circumstances.missing() == MissingIds.SKIP);
    }

    /** Sends a message back: it is delivered again after the delay of a level, or dead-lettered. */
    void sendBack(Stored stored, MessageExt message, int delayLevel, boolean failed, Member process) {
        int explained = stored.explained + (failed ? 1 : 0);
        if (delayLevel < 0 || message.getReconsumeTimes() >= world.circumstances.maxAttempts()) {
            world.step("dead-lettered: " + stored.number + "=" + stored.id + " after " + message.getReconsumeTimes());
            long waits =
                    (world.now() - stored.arrived) / world.circumstances.lease().toNanos();
            long all = explained
                    + waits
                    + world.ledger.allFailures()
                    + 2 * (world.ledger.count(Ledger.Kind.CRASHED) + world.ledger.count(Ledger.Kind.CLOSED));
            world.ledger.deadLettered(
                    stored.id,
                    stored.hasId,
                    delayLevel < 0 && explained == 0 && world.circumstances.maxDeaths() == 0
                            ? 1
                            : (int) Math.max(0, message.getReconsumeTimes() - all));
            return;
        }
        int level = delayLevel == 0 ? 3 + message.getReconsumeTimes() : delayLevel;
        world.step(process.name() + ": sends back " + stored.number + "=" + stored.id + " for " + level + " s");
        delayed.add(new Delayed(
                new Stored(
                        stored.number,
                        stored.id,
                        stored.hasId,
                        message.getReconsumeTimes() + 1,
                        explained,
                        stored.arrived),
                world.now() + Duration.ofSeconds(level).toNanos()));
        changes++;
    }

    int owner(Queue queue) {
        return queue.owner;
    }

    /** Assigns the queues to these consumers. */
    void assign(int[] consumers, String when) {
        for (Queue queue : queues) {
            queue.owner = consumers.length == 0
                    ? -1
                    : consumers[world.draws.below(consumers.length, "owner of " + queue.number + " " + when)];
        }
        changes++;
    }

    void wake() {
        changes++;
    }

    @Override
    public void disconnected(Member process) {
        changes++;
    }

    @Override
    public void redeliverAll() {}

    @Override
    public List<String> left() {
        List<String> left = new ArrayList<>();
        for (Queue queue : queues) {
            for (int i = queue.committed; i < queue.log.size(); i++) {
                left.add(queue.number + "@" + i + "=" + queue.log.get(i).id);
            }
        }
        delayed.forEach(each -> left.add("delayed=" + each.stored.id));
        return left;
    }

    /** The offsets of a queue that its consumer has not finished. */
    static final class InWork {
        private final TreeMap<Integer, MessageExt> messages = new TreeMap<>();
        private int next;

        InWork(int from) {
            next = from;
        }

        int next() {
            return next;
        }

        void add(MessageExt message) {
            messages.put(next++, message);
        }

        boolean holds(int offset) {
            return messages.containsKey(offset);
        }

        void remove(int offset) {
            messages.remove(offset);
        }

        int lowest() {
            return messages.isEmpty() ? next : messages.firstKey();
        }
    }
}

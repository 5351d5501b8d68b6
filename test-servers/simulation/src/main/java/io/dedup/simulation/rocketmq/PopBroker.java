package io.dedup.simulation.rocketmq;

import io.dedup.simulation.draw.MissingIds;
import io.dedup.simulation.judge.Ledger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A broker that hides what it delivers, for a time that its consumer may change: RocketMQ's for simple and push consumers. It counts
 * deliveries and gives up what has used up its attempts. In a FIFO group, a hidden message holds up those behind it in its message group.
 */
final class PopBroker implements Broker {
    /** So long does a broker not notice that a process has died. */
    private static final Duration UNNOTICED = Duration.ofSeconds(5);

    static final long FOR_EVER = Long.MAX_VALUE;

    private final World world;
    private final Map<Integer, Message> messages = new LinkedHashMap<>();
    private final Map<Integer, Set<String>> idsByGroup = new HashMap<>();
    private int changes;

    /** A message that is neither acknowledged nor given up. */
    static final class Message {
        final int number;
        final String id;
        final boolean hasId;
        final int group;
        final long arrived;
        private long hiddenUntil;
        private int attempt;
        private int explained;
        private int handle;
        private @Nullable Member holder;

        private Message(int number, String id, boolean hasId, int group, long arrived) {
            this.number = number;
            this.id = id;
            this.hasId = hasId;
            this.group = group;
            this.arrived = arrived;
        }

        int attempt() {
            return attempt;
        }

        String handle() {
            return number + "/" + handle;
        }

        @Override
        public String toString() {
            return number + "=" + id;
        }
    }

    PopBroker(World world) {
        this.world = world;
    }

    @Override
    public void send(int number, String id, int group, boolean hasId) {
        idsByGroup.computeIfAbsent(group, key -> new HashSet<>()).add(id);
        messages.put(number, new Message(number, id, hasId, group, world.now()));
        changes++;
    }

    @Override
    public List<String> left() {
        return messages.values().stream().map(Message::toString).toList();
    }

    @Override
    public void disconnected(Member process) {
        long noticed = world.now() + UNNOTICED.toNanos();
        messages.values().stream()
                .filter(message -> message.holder == process && message.hiddenUntil == FOR_EVER)
                .forEach(message -> {
                    message.hiddenUntil = noticed;
                    message.explained++;
                });
        changes++;
    }

    @Override
    public void redeliverAll() {
        messages.values().forEach(message -> {
            message.hiddenUntil = Math.min(message.hiddenUntil, world.now());
            message.explained += 2; // a loop gives back what it receives again behind what it has lost
        });
        changes++;
    }

    /** A request about the message meets a fault. */
    void disturbed(String handle) {
        Message message = message(handle);
        if (message != null) {
            message.explained++;
        }
    }

    /** The consumer gives the message back for a reason of its own, which costs an attempt. */
    void explain(Message message) {
        message.explained++;
    }

    /** Waits at most so long until something is visible. */
    void await(Duration atMost, Member process) {
        long end = world.now() + atMost.toNanos();
        while (world.now() < end && !process.isDead() && visible().isEmpty()) {
            int known = changes;
            long next = messages.values().stream()
                    .mapToLong(message -> message.hiddenUntil)
                    .filter(time -> time > world.now())
                    .min()
                    .orElse(FOR_EVER);
            world.schedule.await(() -> changes != known || process.isDead(), Math.min(end, next), false);
        }
    }

    /** Wakes those who wait for messages, because they are to end. */
    void wake() {
        changes++;
    }

    /**
     * Delivers at most so many.
     *
     * @param lost whether the answer doesn't arrive: what it holds is hidden all the same
     */
    List<Message> receive(Member process, int most, long invisible, boolean lost) {
        List<Message> visible = visible();
        List<Message> received = new ArrayList<>();
        while (!visible.isEmpty() && received.size() < most) {
            int next = world.circumstances.fifo()
                    ? 0
                    : world.draws.below(Math.min(3, visible.size()), "takes " + world.count("takes"));
            Message message = visible.remove(next);
            if (message.attempt >= world.circumstances.maxAttempts()) {
                giveUp(message);
                continue;
            }
            message.attempt++;
            message.handle++;
            message.holder = process;
            message.hiddenUntil = invisible == FOR_EVER ? FOR_EVER : world.now() + invisible;
            if (lost) {
                message.explained++;
            }
            received.add(message);
        }
        if (!received.isEmpty()) {
            world.step(process.name() + (lost ? ": lost: " : ": receives ") + received);
        }
        return received;
    }

    /** A FIFO consumer's client has retried the message until its attempts were used up. */
    void giveUp(Message message) {
        if (messages.remove(message.number) != null) {
            world.step("dead-lettered: " + message + " after " + message.attempt + " attempts");
            world.ledger.deadLettered(message.id, message.hasId, unexplained(message));
            changes++;
        }
    }

    /** Attempts that neither a fault nor the time explains in which the message may have waited. */
    private int unexplained(Message message) {
        Duration wait = world.circumstances.maxWaitSeconds() == 0
                ? world.circumstances.lease()
                : Duration.ofSeconds(
                        Math.min(world.circumstances.maxWaitSeconds(), world.circumstances.leaseSeconds()));
        RocketMqCircumstances circumstances = world.circumstances;
        if (circumstances.client() == RocketMqCircumstances.Client.LOOP && circumstances.fifo()) {
            wait = circumstances.maxWaitSeconds() == 0 // what waits in a message group is given back after both
                    ? circumstances.processing().plus(circumstances.lease().multipliedBy(2))
                    : Duration.ofSeconds(circumstances.maxWaitSeconds()).plus(circumstances.lease());
        }
        long waits = (world.now() - message.arrived) / wait.toNanos();
        long gone = world.ledger.count(Ledger.Kind.CRASHED) + world.ledger.count(Ledger.Kind.CLOSED);
        // A loop gives back what is behind a failure, but not each time: then it receives singly.
        boolean singly = world.circumstances.client() == RocketMqCircumstances.Client.LOOP;
        long byFailures = singly
                ? 2L
                        * world.ledger.failing(idsByGroup.getOrDefault(message.group, Set.of()))
                        * (gone + world.circumstances.members())
                : world.ledger.allFailures();
        long all = message.explained + waits + byFailures + 2 * gone;
        return (int) Math.max(0, message.attempt - 1 - all);
    }

    private List<Message> visible() {
        List<Message> visible = new ArrayList<>();
        Set<Integer> held = new HashSet<>();
        for (Message message : messages.values()) {
            if (world.circumstances.fifo() && held.contains(message.group)) {
                continue;
            }
            if (message.hiddenUntil <= world.now()) {
                visible.add(message);
            } else {
                held.add(message.group);
            }
        }
        return visible;
    }

    /** Whether a handle is the message's last one, and the message still there. */
    boolean isValid(String handle) {
        Message message = message(handle);
        return message != null && message.handle().equals(handle);
    }

    private @Nullable Message message(String handle) {
        return messages.get(Integer.valueOf(handle.substring(0, handle.indexOf('/'))));
    }

    /** Returns false if the handle isn't valid any more. */
    boolean acknowledge(String handle, Member process) {
        Message message = message(handle);
        if (message == null || !message.handle().equals(handle)) {
            return false;
        }
        messages.remove(message.number);
        changes++;
        world.step(process.name() + ": ack " + message);
        world.ledger.acknowledged(
                message.id, process.name(), !message.hasId && world.circumstances.missing() == MissingIds.SKIP);
        return true;
    }

    /** Hides the message for so long from now on. Returns its new handle, or null if the old one isn't valid any more. */
    @Nullable
    String hide(String handle, Duration time, Member process) {
        Message message = message(handle);
        if (message == null || !message.handle().equals(handle)) {
            return null;
        }
        message.handle++;
        message.hiddenUntil = world.now() + time.toNanos();
        changes++;
        if (!message.hasId) {
            world.ledger.failed(message.id); // the messages behind it come back with it
        }
        world.step(process.name() + ": hide " + message + " for " + time.toMillis() + " ms");
        return message.handle();
    }
}

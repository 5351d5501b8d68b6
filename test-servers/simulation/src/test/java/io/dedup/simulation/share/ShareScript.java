package io.dedup.simulation.share;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.ShareConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Drawn calls of two members of a share group, made on the real broker and on the simulated one side by side. How many records a poll
 * returns isn't compared: the simulated broker acquires as many as the real one has.
 */
final class ShareScript {
    private static final int CALLS = 22;
    private static final int LIMIT = 5;
    private static final List<AcknowledgeType> TYPES = List.of(AcknowledgeType.values());
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofSeconds(4);
    private static final Duration PATIENCE = Duration.ofSeconds(25);

    private final Random random;
    private final RealShareGroup real;
    private final boolean explicit;
    private final boolean expires;
    private final Duration lock;
    private final int maxPollRecords;
    private final ShareBroker broker;
    private final SimulatedPlace place = new SimulatedPlace();
    private final Member[] members = new Member[2];
    private final List<String> same = new ArrayList<>();
    /** First offsets of batches: the real broker returns whole ones. */
    private final List<Long> begins = new ArrayList<>();

    private @Nullable String difference;
    private int appended;
    private long acquiredAt;
    private boolean tooSlow;

    /** Its time passes only if it waits for a lock. */
    private static final class SimulatedPlace implements SimulatedShareConsumer.Place {
        private long now;

        @Override
        public long nanoTime() {
            return now;
        }

        @Override
        public void await(BooleanSupplier condition, long until) {
            if (!condition.getAsBoolean()) {
                throw new IllegalStateException("the simulated consumer waits, and the real one doesn't");
            }
        }
    }

    /** One member in both worlds. */
    private final class Member {
        private final String name;
        private ShareConsumer<String, String> actual;
        private SimulatedShareConsumer simulated;
        private final List<ConsumerRecord<String, String>> actualRecords = new ArrayList<>();
        private final List<ConsumerRecord<String, String>> simulatedRecords = new ArrayList<>();
        private final List<String> actualCallbacks = new ArrayList<>();
        private final List<String> simulatedCallbacks = new ArrayList<>();
        private boolean isOpen;
        private boolean comesBack;

        Member(String name) {
            this.name = name;
            open();
        }

        private void open() {
            actual = real.consumer(explicit, maxPollRecords);
            simulated = new SimulatedShareConsumer(
                    broker, real.topic(), name + appended + same.size(), explicit, maxPollRecords, place);
            simulated.subscribe(List.of(real.topic()));
            listen(actual, actualCallbacks);
            listen(simulated, simulatedCallbacks);
            actualRecords.clear();
            simulatedRecords.clear();
            isOpen = true;
        }

        private void listen(ShareConsumer<String, String> consumer, List<String> callbacks) {
            consumer.setAcknowledgementCommitCallback((offsets, failure) -> offsets.values()
                    .forEach(each -> callbacks.add(
                            each.stream().sorted().toList() + " " + (failure == null ? "" : name(failure)))));
        }
    }

    ShareScript(long seed, RealShareGroup real) {
        this.random = new Random(seed);
        this.real = real;
        this.explicit = random.nextInt(4) != 0;
        this.expires = random.nextInt(3) == 0;
        this.lock = expires ? SHORT : LONG;
        this.maxPollRecords = random.nextInt(2) == 0 ? 2 : 10;
        this.broker = new ShareBroker(
                () -> place.now, 1, LIMIT, lock.toNanos(), maxPollRecords, true, new ShareBroker.Observer() {});
    }

    /** Runs it. Returns what was observed until the worlds differed; null if they didn't. */
    @Nullable
    String difference() {
        real.configure(lock);
        members[0] = new Member("a");
        members[1] = new Member("b");
        append(1 + random.nextInt(4));
        try {
            for (int i = 0; i < CALLS && difference == null; i++) {
                call(members[random.nextInt(2)]);
                checkTime();
            }
            for (Member each : members) {
                if (difference == null) {
                    close(each);
                }
            }
        } finally {
            for (Member each : members) {
                each.actual.close();
            }
        }
        return difference;
    }

    /** Whether locks may have timed out on the real broker that didn't on the simulated one. */
    boolean wasTooSlow() {
        return tooSlow;
    }

    private void checkTime() {
        tooSlow |= acquiredAt != 0 && System.nanoTime() - acquiredAt > lock.toNanos() * 3 / 4;
    }

    private void append(int count) {
        real.append(count);
        Map<Integer, String> batch = new LinkedHashMap<>();
        for (int i = 0; i < count; i++) {
            batch.put(++appended, "r");
        }
        begins.add(broker.append(0, batch));
        same.add("append " + count);
    }

    private void call(Member member) {
        switch (random.nextInt(14)) {
            case 0 -> append(1 + random.nextInt(4));
            case 1, 2, 3 -> poll(member);
            case 4, 5, 6, 7 -> acknowledge(member);
            case 8, 9 -> commitSync(member);
            case 10 -> commitAsync(member);
            case 11 -> {
                if (random.nextInt(2) == 0) {
                    close(member);
                    member.open();
                } else {
                    wakeUp(member);
                }
            }
            case 12 -> {
                if (expires) {
                    expire();
                }
            }
            default -> {
                if (random.nextInt(3) == 0 && !expires) { // the real broker sees it at its next fetch
                    long below = begins.get(random.nextInt(begins.size()));
                    real.deleteRecords(below);
                    broker.deleteRecords(0, below);
                    same.add("records below " + below + " are deleted");
                }
            }
        }
    }

    /** A poll that would wait is left out: the real consumer would go on fetching after it. */
    private void poll(Member member) {
        boolean refuses = explicit && !member.simulated.isAcknowledged();
        if (!refuses && !member.simulated.hasNext()) {
            return;
        }
        if (!refuses) {
            checkTime();
            if (member.comesBack) { // what is sent with a fetch is seen after it
                commitSync(member);
            }
        }
        String actual = outcome(() -> {
            ConsumerRecords<String, String> records =
                    member.actual.poll(PATIENCE); // a second one could fetch once more
            broker.acquireAtMost(records.count());
            return described(records, member.actualRecords);
        });
        if (acquiredAt == 0 && !refuses) {
            acquiredAt = System.nanoTime();
        }
        compare(member, "polls", actual, outcome(() -> described(simulatedPoll(member), member.simulatedRecords)));
    }

    /** What was sent at the first is answered at the next. */
    private static ConsumerRecords<String, String> simulatedPoll(Member member) {
        ConsumerRecords<String, String> records = member.simulated.poll(Duration.ZERO);
        for (int i = 0; records.isEmpty() && i < 3; i++) {
            records = member.simulated.poll(Duration.ZERO);
        }
        return records;
    }

    private static String described(
            ConsumerRecords<String, String> records, List<ConsumerRecord<String, String>> kept) {
        List<String> described = new ArrayList<>();
        for (ConsumerRecord<String, String> each : records) {
            kept.removeIf(other -> other.offset() == each.offset());
            kept.add(each);
            described.add(each.offset() + " (" + each.deliveryCount().orElseThrow() + ")");
        }
        return described.toString();
    }

    /** One of the records that it has polled, perhaps long ago. */
    private void acknowledge(Member member) {
        if (member.actualRecords.isEmpty() || member.simulatedRecords.size() != member.actualRecords.size()) {
            return;
        }
        int size = member.actualRecords.size();
        int place = random.nextInt(3) == 0 ? random.nextInt(size) : size - 1 - random.nextInt(Math.min(3, size));
        AcknowledgeType type = TYPES.get(random.nextInt(TYPES.size()));
        ConsumerRecord<String, String> record = member.actualRecords.get(place);
        member.comesBack |= type == AcknowledgeType.RELEASE || type == AcknowledgeType.RENEW;
        compare(
                member,
                "acknowledges " + record.offset() + " as " + type,
                outcome(() -> {
                    member.actual.acknowledge(record, type);
                    return "";
                }),
                outcome(() -> {
                    member.simulated.acknowledge(member.simulatedRecords.get(place), type);
                    return "";
                }));
    }

    private void commitSync(Member member) {
        member.comesBack = false;
        compare(member, "commits", commit(member.actual), commit(member.simulated));
        compareCallbacks(member);
    }

    private static String commit(ShareConsumer<String, String> consumer) {
        return outcome(() -> consumer.commitSync().values().stream()
                .map(each -> each.map(ShareScript::name).orElse("done"))
                .toList()
                .toString());
    }

    private void commitAsync(Member member) {
        Function<ShareConsumer<String, String>, String> call = consumer -> outcome(() -> {
            consumer.commitAsync();
            return "";
        });
        compare(member, "commits asynchronously", call.apply(member.actual), call.apply(member.simulated));
        var unused = member.simulated.commitSync();
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (member.actualCallbacks.size() < member.simulatedCallbacks.size() && System.nanoTime() < end) {
            var ignored = member.actual.commitSync();
        }
        compareCallbacks(member);
    }

    private void compareCallbacks(Member member) {
        compare(member, "callbacks", member.actualCallbacks.toString(), member.simulatedCallbacks.toString());
    }

    private void wakeUp(Member member) {
        if (!member.simulated.hasNext() || (explicit && !member.simulated.isAcknowledged())) {
            return;
        }
        member.actual.wakeup();
        member.simulated.wakeup();
        compare(
                member,
                "polls, woken up",
                outcome(() -> member.actual.poll(Duration.ofMillis(200)).count()),
                outcome(() -> member.simulated.poll(Duration.ZERO).count()));
    }

    private void close(Member member) {
        if (!member.isOpen) {
            return;
        }
        member.isOpen = false;
        member.actual.close();
        member.simulated.close();
        compareCallbacks(member);
        compare(member, "a commit after close", commit(member.actual), commit(member.simulated));
    }

    /** All locks time out. */
    private void expire() {
        if (acquiredAt == 0) {
            return;
        }
        checkTime();
        long until = System.nanoTime() + lock.toNanos() * 5 / 4;
        while (System.nanoTime() < until) {
            java.util.concurrent.locks.LockSupport.parkNanos(until - System.nanoTime());
        }
        place.now += lock.toNanos() * 5 / 4;
        broker.serve();
        acquiredAt = 0;
        same.add("the locks time out");
    }

    private void compare(Member member, String what, String actual, String simulated) {
        if (actual.equals(simulated)) {
            same.add(member.name + " " + what + ": " + actual);
        } else if (difference == null) {
            difference = (explicit ? "explicit" : "implicit") + ", at most " + maxPollRecords + " a poll\n"
                    + String.join("\n", same) + "\n" + member.name + " " + what + "\nreal:      " + actual
                    + "\nsimulated: " + simulated;
        }
    }

    private static String outcome(Callable<?> call) {
        try {
            return String.valueOf(call.call());
        } catch (Exception e) {
            return name(e);
        }
    }

    private static String name(Throwable failure) {
        return failure.getClass().getSimpleName();
    }
}

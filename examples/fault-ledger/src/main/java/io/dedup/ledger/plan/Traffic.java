package io.dedup.ledger.plan;

import io.dedup.ledger.scheme.Stores;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** What a producer sends that sends again, in chunks: one for each fault, and one after the last. The seed decides. */
public final class Traffic {
    public static final int PARTITIONS = 4;

    private static final int MAX_WORK_MILLIS = 3;
    private static final int RARE = 50;
    private static final int LONG_WORK_MILLIS = 300;
    private static final Duration SLOW = Stores.LEASE.plusSeconds(1);
    private static final int MAX_GAP_MILLIS = 60;

    /** One record; the same message may be sent again. */
    public record Send(Message message, int partition, int gapMillis) {}

    private final List<List<Send>> chunks = new ArrayList<>();
    private final List<List<Message>> begun = new ArrayList<>();
    private final List<Message> messages = new ArrayList<>();
    private final Random random;

    public Traffic(int count, List<FaultPlan.Fault> faults, long seed) {
        random = new Random(seed);
        for (int i = 0; i <= faults.size(); i++) {
            chunks.add(new ArrayList<>());
        }
        for (int i = 0; i < faults.size(); i++) {
            int from = (int) ((long) count * i / faults.size());
            int to = (int) ((long) count * (i + 1) / faults.size());
            chunk(i, to - from, faults.get(i).kind());
        }
        replay(count / 10);
    }

    private void chunk(int which, int size, FaultKind kind) {
        begun.add(new ArrayList<>());
        for (int i = 0; i < size; i++) {
            Message message = message(i, kind);
            messages.add(message);
            begun.get(which).add(message);
            List<Send> chunk = chunks.get(which);
            int partition = random.nextInt(PARTITIONS);
            chunk.add(new Send(message, partition, gap()));
            if (!message.before().minus(SLOW).isNegative()) {
                chunk.add(new Send(message, (partition + 1) % PARTITIONS, 0));
            } else if (random.nextInt(4) == 0) {
                again(which, message);
            }
        }
    }

    /** At once, in this chunk, or at any later time. */
    private void again(int which, Message message) {
        List<Send> chunk = chunks.get(which);
        int choice = random.nextInt(3);
        Send copy = new Send(message, random.nextInt(PARTITIONS), choice == 0 ? 0 : gap());
        if (choice == 2) {
            chunk = chunks.get(which + random.nextInt(chunks.size() - which));
        }
        if (choice == 0) {
            chunk.add(copy);
        } else { // its first one is there already
            int first = chunk == chunks.get(which) ? chunk.size() : random.nextInt(chunk.size() + 1);
            chunk.add(first, copy);
        }
    }

    /** Some of all of them once more, at the end. */
    private void replay(int copies) {
        for (int i = 0; i < copies; i++) {
            chunks.get(chunks.size() - 1)
                    .add(new Send(messages.get(random.nextInt(messages.size())), random.nextInt(PARTITIONS), 0));
        }
    }

    private Message message(int index, FaultKind kind) {
        String id = "m" + messages.size();
        Duration before = Duration.ofMillis(random.nextInt(MAX_WORK_MILLIS));
        Duration after =
                Duration.ofMillis(random.nextInt(RARE) == 0 ? LONG_WORK_MILLIS : random.nextInt(MAX_WORK_MILLIS));
        int failures = 1 + random.nextInt(2);
        return switch (kind) {
            case SLOW -> new Message(id, index == 0 ? SLOW : before, after, 0, false);
            case FAIL -> new Message(id, before, after, index < 3 ? failures : 0, false);
            case POISON -> new Message(id, before, after, 0, index == 0);
            default -> new Message(id, before, after, 0, false);
        };
    }

    /** Bursts, and pauses between them. */
    private int gap() {
        return random.nextInt(4) == 0 ? random.nextInt(MAX_GAP_MILLIS) : 0;
    }

    /** One for each fault, and one after the last. */
    public List<List<Send>> chunks() {
        return chunks;
    }

    /** Those that are sent for the first time with a fault's chunk. */
    public List<Message> begunWith(int fault) {
        return begun.get(fault);
    }

    /** Each once. */
    public List<Message> messages() {
        return messages;
    }
}

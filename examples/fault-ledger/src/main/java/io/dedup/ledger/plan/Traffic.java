package io.dedup.ledger.plan;

import io.dedup.ledger.scheme.Stores;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** What the producer sends, copies included, in chunks: one for each fault, and one after the last. The seed decides. */
public final class Traffic {
    private static final int MAX_WORK_MILLIS = 3;
    private static final int RARE = 50;
    private static final int LONG_WORK_MILLIS = 300;
    private static final int HELD = 3;
    private static final int MANY = 3;
    private static final Duration SLOW = Stores.LEASE.plusSeconds(1);
    private static final int MAX_GAP_MILLIS = 60;

    /** One record; the same message may be sent again. */
    public record Send(Message message, int partition, int gapMillis) {}

    private final List<List<Send>> chunks = new ArrayList<>();
    private final List<List<Message>> begun = new ArrayList<>();
    private final List<Message> messages = new ArrayList<>();
    private final int partitions;
    private final Random random;
    private int maxGap = MAX_GAP_MILLIS;

    public Traffic(int count, List<FaultPlan.Fault> faults, long seed, int partitions) {
        this.partitions = partitions;
        random = new Random(seed);
        for (int i = 0; i <= faults.size(); i++) {
            chunks.add(new ArrayList<>());
        }
        int parts = faults.stream().mapToInt(Traffic::parts).sum();
        int before = 0;
        for (int i = 0; i < faults.size(); i++) {
            int from = (int) ((long) count * before / parts);
            before += parts(faults.get(i));
            int to = (int) ((long) count * before / parts);
            chunk(i, to - from, faults.get(i));
        }
        replay(count / 10);
    }

    private void chunk(int which, int size, FaultPlan.Fault fault) {
        maxGap = isToBeMet(fault.kind()) ? Math.max(1, 2 * fault.millis() / Math.max(1, size)) : MAX_GAP_MILLIS;
        begun.add(new ArrayList<>());
        for (int i = 0; i < size; i++) {
            Message message = message(i, fault.kind());
            messages.add(message);
            begun.get(which).add(message);
            List<Send> chunk = chunks.get(which);
            int partition = random.nextInt(partitions);
            chunk.add(new Send(message, partition, gap()));
            if (!message.before().minus(SLOW).isNegative()) {
                chunk.add(new Send(message, (partition + 1) % partitions, 0));
            } else if (random.nextInt(4) == 0) {
                again(which, message);
            }
        }
    }

    /** At once, in this chunk, or at any later time. */
    private void again(int which, Message message) {
        List<Send> chunk = chunks.get(which);
        int choice = random.nextInt(3);
        Send copy = new Send(message, random.nextInt(partitions), choice == 0 ? 0 : gap());
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

    /**
     * Sends some messages once more at the end; at least one to each partition, so that offsets are committed behind the
     * rest.
     */
    private void replay(int copies) {
        for (int i = 0; i < partitions; i++) {
            chunks.get(chunks.size() - 1).add(new Send(messages.get(random.nextInt(messages.size())), i, 0));
        }
        for (int i = 0; i < copies; i++) {
            chunks.get(chunks.size() - 1)
                    .add(new Send(messages.get(random.nextInt(messages.size())), random.nextInt(partitions), 0));
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
            case REBALANCE_HELD, HANDLER_KILLED -> new Message(id, index < HELD ? SLOW : before, after, 0, false);
            case FAIL -> new Message(id, before, after, index < 3 ? failures : 0, false);
            case POISON -> new Message(id, before, after, 0, index == 0);
            default -> new Message(id, before, after, 0, false);
        };
    }

    private static int parts(FaultPlan.Fault fault) {
        return isToBeMet(fault.kind()) ? MANY : 1;
    }

    /** Such a fault hits consumers while they work with records, so records have to arrive as long as it lasts. */
    private static boolean isToBeMet(FaultKind kind) {
        return kind == FaultKind.WAKE_UP || kind == FaultKind.COMMIT_FAILS || kind == FaultKind.REBALANCE_HELD;
    }

    /** Bursts, and pauses between them; or evenly. */
    private int gap() {
        return maxGap != MAX_GAP_MILLIS || random.nextInt(4) == 0 ? random.nextInt(maxGap) : 0;
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

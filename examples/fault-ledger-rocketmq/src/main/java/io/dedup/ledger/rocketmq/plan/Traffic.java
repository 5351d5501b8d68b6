package io.dedup.ledger.rocketmq.plan;

import io.dedup.ledger.plan.Message;
import io.dedup.ledger.scheme.Stores;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * What the producer sends, copies included, in chunks: one for each fault, and one after the last. The seed decides.
 * Copies go to any lane, so that messages of different lanes can wait for each other.
 */
public final class Traffic {
    private static final int LANES = 4;
    private static final int MAX_WORK_MILLIS = 3;
    private static final int RARE = 50;
    private static final int LONG_WORK_MILLIS = 300;
    private static final Duration SLOW = Stores.LEASE.plusSeconds(1);
    private static final int MAX_GAP_MILLIS = 60;
    private static final int FAILING = 3;

    /**
     * One copy of a message.
     *
     * @param lane its message group, where there are such
     */
    public record Send(Message message, int lane, int gapMillis) {}

    private final List<List<Send>> chunks = new ArrayList<>();
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
        for (int i = 0; i < count / 10; i++) {
            Message any = messages.get(random.nextInt(messages.size()));
            chunks.get(faults.size()).add(new Send(any, random.nextInt(LANES), 0));
        }
    }

    private void chunk(int which, int size, FaultKind kind) {
        List<Send> chunk = chunks.get(which);
        for (int i = 0; i < size; i++) {
            Message message = message(i, kind);
            messages.add(message);
            int lane = random.nextInt(LANES);
            chunk.add(new Send(message, lane, gap()));
            if (!message.before().minus(SLOW).isNegative()) {
                chunk.add(new Send(message, (lane + 1) % LANES, 0));
            } else if (random.nextInt(4) == 0) {
                again(which, message);
            }
        }
    }

    /** At once, in this chunk, or at any later time. */
    private void again(int which, Message message) {
        int choice = random.nextInt(3);
        int later = choice == 2 ? which + random.nextInt(chunks.size() - which) : which;
        List<Send> chunk = chunks.get(later);
        int place = later == which ? chunk.size() : random.nextInt(chunk.size() + 1);
        chunk.add(place, new Send(message, random.nextInt(LANES), choice == 0 ? 0 : gap()));
    }

    private Message message(int index, FaultKind kind) {
        String id = "m" + messages.size();
        Duration before = Duration.ofMillis(random.nextInt(MAX_WORK_MILLIS));
        Duration after =
                Duration.ofMillis(random.nextInt(RARE) == 0 ? LONG_WORK_MILLIS : random.nextInt(MAX_WORK_MILLIS));
        int failures = 1 + random.nextInt(2);
        return switch (kind) {
            case SLOW -> new Message(id, index == 0 ? SLOW : before, after, 0, false);
            case FAIL -> new Message(id, before, after, index < FAILING ? failures : 0, false);
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

    /** Each once. */
    public List<Message> messages() {
        return messages;
    }
}

package io.dedup.benchmarks.measure;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The messages of one thread, block by block: every fifth is a duplicate of one in an earlier block, the others are
 * new. Not thread-safe.
 */
public final class Traffic {
    /** Every how manieth message is a duplicate. */
    public static final int DUPLICATE_EVERY = 5;

    /** How many blocks back a duplicate may come from. */
    private static final int REACH = 100;

    private static final int STREAM_SHIFT = 36;

    private final long stream;
    private final int blockSize;
    private final SplittableRandom random;
    private long nextBlock = 1;

    private Traffic(long stream, int blockSize) {
        this.stream = stream;
        this.blockSize = blockSize;
        this.random = new SplittableRandom(stream);
    }

    /** Gives every thread of every round messages of its own. Thread-safe. */
    public static final class Source {
        private final AtomicLong streams = new AtomicLong();

        /** @param blockSize a multiple of {@link #DUPLICATE_EVERY} */
        public Traffic next(int blockSize) {
            if (blockSize % DUPLICATE_EVERY != 0) {
                throw new IllegalArgumentException("blockSize must be a multiple of " + DUPLICATE_EVERY);
            }
            return new Traffic(streams.incrementAndGet(), blockSize);
        }
    }

    /** Messages that have to be done before the first block, so that it has something to duplicate. */
    public List<String> beforeFirstBlock() {
        List<String> ids = new ArrayList<>(freshPerBlock());
        for (int i = 0; i < freshPerBlock(); i++) {
            ids.add(fresh(0, i));
        }
        return ids;
    }

    /** The next messages. */
    public Block next() {
        long block = nextBlock++;
        long source = block - 1 - random.nextLong(Math.min(block, REACH));
        List<String> ids = new ArrayList<>(blockSize);
        List<String> fresh = new ArrayList<>(freshPerBlock());
        for (int i = 0; i < blockSize; i++) {
            if (isDuplicate(i)) {
                ids.add(fresh(source, i - i / DUPLICATE_EVERY - DUPLICATE_EVERY + 1));
            } else {
                String id = fresh(block, fresh.size());
                ids.add(id);
                fresh.add(id);
            }
        }
        return new Block(ids, fresh);
    }

    private int freshPerBlock() {
        return blockSize - blockSize / DUPLICATE_EVERY;
    }

    private String fresh(long block, int index) {
        return Ids.text((stream << STREAM_SHIFT) + block * freshPerBlock() + index);
    }

    private static boolean isDuplicate(int index) {
        return index % DUPLICATE_EVERY == DUPLICATE_EVERY - 1;
    }

    /**
     * Messages in the order of their arrival.
     *
     * @param ids of all messages, none of them twice
     * @param fresh those of them that aren't duplicates, in the same order
     */
    public record Block(List<String> ids, List<String> fresh) {
        /** Whether the message at this place is a duplicate. */
        public boolean isDuplicate(int index) {
            return Traffic.isDuplicate(index);
        }
    }
}

package io.dedup.benchmarks.subject;

import io.dedup.benchmarks.measure.Contender;
import io.dedup.benchmarks.measure.Ids;
import java.util.List;
import java.util.stream.IntStream;

/** Workers that get nothing but duplicates of messages that are done. */
public final class DuplicateWorkers {
    private static final int IDS = 100;

    private DuplicateWorkers() {}

    /** A contender for each way of a store, by its name. */
    public static List<Contender> of(HandlingStore store) {
        List<String> ids = IntStream.range(0, IDS).mapToObj(Ids::text).toList();
        return store.ways().entrySet().stream()
                .map(way -> {
                    for (String id : ids) {
                        require(way.getValue().handle(id), "a new message is taken for a duplicate");
                    }
                    return new Contender(way.getKey(), 1, () -> () -> {
                        for (String id : ids) {
                            require(!way.getValue().handle(id), "a duplicate was handled");
                        }
                        return IDS;
                    });
                })
                .toList();
    }

    private static void require(boolean expected, String otherwise) {
        if (!expected) {
            throw new IllegalStateException(otherwise);
        }
    }
}

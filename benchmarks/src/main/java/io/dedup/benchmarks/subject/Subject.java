package io.dedup.benchmarks.subject;

import io.dedup.benchmarks.measure.Contender;
import java.util.List;

/** A store, ready to be measured. */
public interface Subject extends AutoCloseable {
    /** The store and its version. */
    String name();

    /** What takes turns, named by {@link ContenderNames}. */
    List<Contender> contenders();

    /** Called before each turn. */
    default void reset() {}

    /** What messages cost the server; empty where it isn't measured. */
    default List<ServerCost> serverCosts(int rounds) {
        return List.of();
    }

    /** Nanoseconds on a core that the server has used so far, for the network as well; always 0 if it cannot be asked. */
    default long serverNanos() {
        return 0;
    }

    @Override
    void close();
}

package io.dedup.benchmarks;

import io.dedup.benchmarks.jdbc.JdbcSubject;
import io.dedup.benchmarks.network.Network;
import io.dedup.benchmarks.redis.RedisSubject;
import io.dedup.benchmarks.subject.MemorySubject;
import io.dedup.benchmarks.subject.Subject;
import io.dedup.testservers.redis.RedisBinary;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;

/** Starts the stores by their names. */
final class Subjects {
    private static final Map<String, Function<Network, Optional<Subject>>> STARTS = Map.of(
            "memory", network -> inProcess(network, MemorySubject::new),
            "redis-6.2", network -> Optional.of(new RedisSubject(RedisBinary.embedded(), network)),
            "redis-7", network -> RedisBinary.installed().map(binary -> new RedisSubject(binary, network)),
            "postgresql", network -> Optional.of(JdbcSubject.postgres(network)),
            "mariadb", network -> Optional.of(JdbcSubject.mariadb(network)),
            "mariadb-prepared", network -> Optional.of(JdbcSubject.preparingMariadb(network)),
            "h2", network -> inProcess(network, JdbcSubject::h2));

    private Subjects() {}

    static Set<String> names() {
        return STARTS.keySet();
    }

    private static Optional<Subject> inProcess(Network network, Supplier<Subject> start) {
        return network.isLoopback() ? Optional.of(start.get()) : Optional.empty();
    }

    /** Empty where this machine doesn't have it, or a network cannot lie between. */
    static Optional<Subject> start(String store, Network network) {
        Function<Network, Optional<Subject>> start = STARTS.get(store);
        if (start == null) {
            throw new IllegalArgumentException("no such store: " + store);
        }
        return start.apply(network);
    }
}

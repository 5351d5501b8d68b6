package io.dedup.benchmarks;

import io.dedup.benchmarks.jdbc.JdbcSubject;
import io.dedup.benchmarks.redis.RedisSubject;
import io.dedup.benchmarks.subject.MemorySubject;
import io.dedup.benchmarks.subject.Subject;
import io.dedup.testservers.redis.RedisBinary;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/** Starts the stores by their names. */
final class Subjects {
    private static final Map<String, Supplier<Optional<Subject>>> STARTS = Map.of(
            "memory", () -> Optional.of(new MemorySubject()),
            "redis-6.2", () -> Optional.of(new RedisSubject(RedisBinary.embedded())),
            "redis-7", () -> RedisBinary.installed().map(RedisSubject::new),
            "postgresql", () -> Optional.of(JdbcSubject.postgres()),
            "mariadb", () -> Optional.of(JdbcSubject.mariadb()),
            "h2", () -> Optional.of(JdbcSubject.h2()));

    private Subjects() {}

    static Set<String> names() {
        return STARTS.keySet();
    }

    /** Empty where this machine doesn't have it. */
    static Optional<Subject> start(String store) {
        Supplier<Optional<Subject>> start = STARTS.get(store);
        if (start == null) {
            throw new IllegalArgumentException("no such store: " + store);
        }
        return start.get();
    }
}

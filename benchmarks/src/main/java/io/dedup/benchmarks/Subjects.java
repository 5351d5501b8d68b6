package io.dedup.benchmarks;

import io.dedup.benchmarks.jdbc.JdbcSubject;
import io.dedup.benchmarks.redis.RedisSubject;
import io.dedup.benchmarks.subject.MemorySubject;
import io.dedup.benchmarks.subject.Subject;
import io.dedup.testservers.RedisBinary;
import java.util.Optional;

/** Starts the stores by their names. */
final class Subjects {
    private Subjects() {}

    /** Empty where this machine doesn't have it. */
    static Optional<Subject> start(String store) {
        return switch (store) {
            case "memory" -> Optional.of(new MemorySubject());
            case "redis-6.2" -> Optional.of(new RedisSubject(RedisBinary.embedded()));
            case "redis-7" -> RedisBinary.installed().map(RedisSubject::new);
            case "postgresql" -> Optional.of(JdbcSubject.postgres());
            case "mariadb" -> Optional.of(JdbcSubject.mariadb());
            case "h2" -> Optional.of(JdbcSubject.h2());
            default -> throw new IllegalArgumentException("no such store: " + store);
        };
    }
}

package io.dedup.testservers;

import java.util.Optional;

final class Containers {

    private Containers() {}

    static Optional<RedisAddress> redis() {
        return Optional.empty();
    }

    static Optional<KafkaAddress> kafka() {
        return Optional.empty();
    }

    static Optional<SqlAddress> mariaDb() {
        return Optional.empty();
    }

    static Optional<SqlAddress> postgres() {
        return Optional.empty();
    }
}

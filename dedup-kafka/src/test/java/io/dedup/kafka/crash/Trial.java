package io.dedup.kafka.crash;

import io.dedup.testservers.sql.MariaDbServers;
import io.dedup.testservers.sql.PostgresServers;
import io.dedup.testservers.sql.SqlDatabase;
import java.util.List;
import java.util.Locale;

/** A plan on a database: one listener of the consumer that is killed, with a topic and tables of its own. */
record Trial(String database, Plan plan) {
    static List<Trial> on(String database, List<Plan> plans) {
        return plans.stream().map(plan -> new Trial(database, plan)).toList();
    }

    String topic(String run) {
        return run + "-" + database + "-" + plan.id();
    }

    static SqlDatabase newDatabase(String name) {
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "postgres" -> PostgresServers.newDatabase();
            case "mariadb" -> MariaDbServers.newDatabase();
            default -> throw new IllegalArgumentException("postgres or mariadb, but not " + name);
        };
    }
}

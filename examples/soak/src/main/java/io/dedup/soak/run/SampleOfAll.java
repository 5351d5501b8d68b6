package io.dedup.soak.run;

import io.dedup.soak.measure.Measure;
import io.dedup.soak.measure.Sample;
import java.io.IOException;
import java.sql.SQLException;
import java.util.Map;

/** Measurements of the consumer process, by itself and by the servers. */
final class SampleOfAll {
    private final Servers servers;
    private final ConsumerProcess consumer;

    SampleOfAll(Servers servers, ConsumerProcess consumer) {
        this.servers = servers;
        this.consumer = consumer;
    }

    Sample take(double seconds, long ids) throws IOException, InterruptedException, SQLException {
        Map<Measure, Double> values = consumer.sample();
        values.put(Measure.REDIS_CONNECTIONS, (double) servers.redisConnections());
        values.put(Measure.DATABASE_CONNECTIONS, (double) servers.databaseConnections());
        return new Sample(seconds, ids, servers.redisBytes(), servers.redisKeys(), values);
    }
}

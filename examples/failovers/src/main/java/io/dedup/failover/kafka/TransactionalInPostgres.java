package io.dedup.failover.kafka;

import io.dedup.failover.load.Handling;
import io.dedup.failover.load.Postgres;
import io.dedup.failover.load.TransactionalHandling;
import io.dedup.failover.plan.Effect;
import io.dedup.policy.DedupMode;
import java.util.List;

/** Mode TRANSACTIONAL on one PostgreSQL. */
final class TransactionalInPostgres implements Records {
    private final Postgres postgres = new Postgres();

    @Override
    public Handling handling(String topic) {
        return TransactionalHandling.of(postgres.pool(), topic, DedupMode.TRANSACTIONAL);
    }

    @Override
    public List<Effect> effects() {
        return postgres.effects();
    }

    @Override
    public void close() {
        postgres.close();
    }
}

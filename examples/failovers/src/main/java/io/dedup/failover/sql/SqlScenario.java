package io.dedup.failover.sql;

import io.dedup.failover.plan.Promise;
import io.dedup.failover.plan.RunningScenario;
import io.dedup.failover.plan.Scenario;
import io.dedup.policy.DedupMode;
import java.util.Locale;

/**
 * A database that fails over beneath consumers of a Kafka topic.
 *
 * @param synchronous whether a commit waits for the replica
 */
record SqlScenario(Product product, boolean synchronous, DedupMode mode, Address address) implements Scenario {

    @Override
    public String id() {
        return product.id()
                + (synchronous ? "-sync-" : "-async-")
                + mode.name().toLowerCase(Locale.ROOT).replace('_', '-')
                + (address == Address.ALL_SERVERS ? "-hosts" : "");
    }

    @Override
    public String title() {
        return product.title()
                + (synchronous ? ", synchronous, " : ", asynchronous, ")
                + mode
                + (address == Address.ALL_SERVERS ? ", both servers in the URL" : "");
    }

    @Override
    public Promise promise() {
        if (mode == DedupMode.LEASED) {
            return synchronous ? Promise.TOLD : Promise.FORGETS;
        }
        return Promise.ONCE;
    }

    @Override
    public boolean serverMayLose() {
        return !synchronous && mode.isTransactional();
    }

    @Override
    public RunningScenario start(long seed) throws Exception {
        return new SqlRun(this, seed);
    }
}

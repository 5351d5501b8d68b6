package io.dedup.failover.sql;

import io.dedup.failover.plan.Scenario;
import io.dedup.policy.DedupMode;
import java.util.ArrayList;
import java.util.List;

/** Every database, with and without waiting for the replica, in every mode. */
public final class SqlScenarios {
    private SqlScenarios() {}

    /** In the order of the report. */
    public static List<Scenario> all() {
        List<Scenario> all = new ArrayList<>();
        for (Product product : Product.values()) {
            for (boolean synchronous : new boolean[] {true, false}) {
                for (DedupMode mode : DedupMode.values()) {
                    all.add(new SqlScenario(product, synchronous, mode, Address.MOVED));
                }
            }
        }
        all.add(new SqlScenario(Product.POSTGRESQL, true, DedupMode.TRANSACTIONAL, Address.ALL_SERVERS));
        return all;
    }
}

package io.dedup.ledger.plan;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.RangeAssignor;

/** How the members of a row's group share its partitions. */
public enum Membership {
    /** All partitions are given up in each rebalance. */
    EAGER,
    /** Partitions that stay are consumed during a rebalance, and commits fail meanwhile. */
    COOPERATIVE,
    /** The broker assigns ({@code group.protocol=consumer}). */
    BROKER;

    /** Where no combination is drawn: another seed gives each row another one. */
    static Membership of(long seed, Row row) {
        int place = Arrays.asList(Row.values()).indexOf(row);
        return values()[Math.floorMod(seed + place, values().length)];
    }

    /** The configuration of a consumer of such a group. */
    public Map<String, Object> settings() {
        Map<String, Object> settings = new HashMap<>();
        if (this == BROKER) {
            settings.put("group.protocol", "consumer"); // session and heartbeat are the broker's to decide
            return settings;
        }
        settings.put("session.timeout.ms", 1500);
        settings.put("heartbeat.interval.ms", 300);
        settings.put(
                "partition.assignment.strategy",
                (this == EAGER ? RangeAssignor.class : CooperativeStickyAssignor.class).getName());
        return settings;
    }
}

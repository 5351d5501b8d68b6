package io.dedup.failover.plan;

/** A row of the report: servers, a mode of the framework on them, what is done to them, and what is promised. */
public interface Scenario {
    /** Of the command line, such as {@code redis-sentinel}. */
    String id();

    /** Of the report. */
    String title();

    Promise promise();

    /** Whether the server that fails over may lose confirmed writes, because it doesn't wait for its replica. */
    default boolean serverMayLose() {
        return false;
    }

    /** Starts servers and consumers; returns when messages can be sent. */
    RunningScenario start(long seed) throws Exception;
}

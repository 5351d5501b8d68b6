package io.dedup.spring.boot;

import java.time.Duration;

/** {@code dedup.checks}: which checks run when the application starts. Not thread-safe. */
public class ChecksProperties {
    /** Whether the start asks Kafka how long it retains the topics, and warns if a window is shorter than that. */
    private boolean broker = true;

    /** How long the broker has to answer. Without an answer, the check is skipped. Only with dedup.strict the start waits for it. */
    private Duration brokerTimeout = Duration.ofSeconds(5);

    /** Whether the start fails if the application has listeners, but no entry applies to any of them. With false, this is a warning. */
    private boolean refuseUnused = true;

    /** Whether the start warns if the table's DataSource chooses a database for each connection, as one by tenant does. Set it to false if that leads to the same database wherever the table is used, for example if the DataSource only separates reads from writes. */
    private boolean routingDataSource = true;

    public boolean isRoutingDataSource() {
        return routingDataSource;
    }

    public void setRoutingDataSource(boolean routingDataSource) {
        this.routingDataSource = routingDataSource;
    }

    public boolean isRefuseUnused() {
        return refuseUnused;
    }

    public void setRefuseUnused(boolean refuseUnused) {
        this.refuseUnused = refuseUnused;
    }

    public boolean isBroker() {
        return broker;
    }

    public void setBroker(boolean broker) {
        this.broker = broker;
    }

    public Duration getBrokerTimeout() {
        return brokerTimeout;
    }

    public void setBrokerTimeout(Duration brokerTimeout) {
        this.brokerTimeout = brokerTimeout;
    }
}

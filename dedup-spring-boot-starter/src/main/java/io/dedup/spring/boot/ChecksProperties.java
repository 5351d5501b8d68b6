package io.dedup.spring.boot;

import java.time.Duration;

/** {@code dedup.checks}: what is looked at when the application starts. Not thread-safe. */
public class ChecksProperties {
    /** Whether the broker is asked how long it retains the topics, to compare it with the windows. */
    private boolean broker = true;

    /** How long the start may wait for the broker's answer; without one the check is left out. */
    private Duration brokerTimeout = Duration.ofSeconds(5);

    /** Whether the start is refused when listeners are there, and no entry is for any of them; false makes it a warning. */
    private boolean refuseUnused = true;

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

package io.dedup.simulation.rocketmq;

import java.util.List;

/** What the run knows of a broker, whatever its consumers. */
interface Broker {
    /**
     * A message arrives.
     *
     * @param number the how manieth
     * @param id its message ID
     * @param group its message group or queue
     * @param hasId whether it carries its ID
     */
    void send(int number, String id, int group, boolean hasId);

    /** The connections of a process are gone: what it holds is delivered to others after a while. */
    void disconnected(Member process);

    /** Everything that is hidden is delivered again at once, as after a failover. */
    void redeliverAll();

    /** The messages that are neither acknowledged nor given up. */
    List<String> left();
}

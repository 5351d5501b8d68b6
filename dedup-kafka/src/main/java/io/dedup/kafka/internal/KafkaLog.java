package io.dedup.kafka.internal;

/** The name of this module's only logger. Users configure the level of {@code KafkaDedup}, whichever class logs. */
public final class KafkaLog {
    public static final String NAME = "io.dedup.kafka.KafkaDedup";

    private KafkaLog() {}
}

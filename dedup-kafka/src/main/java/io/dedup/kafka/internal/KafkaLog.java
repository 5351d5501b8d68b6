package io.dedup.kafka.internal;

/**
 * The logger of this module, by its name: users configure the level of {@code KafkaDedup}, whatever class writes the line.
 */
public final class KafkaLog {
    public static final String NAME = "io.dedup.kafka.KafkaDedup";

    private KafkaLog() {}
}

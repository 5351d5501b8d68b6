package io.dedup.testservers.kafka;

import io.dedup.testservers.Settings;

/** Entry to everything about Kafka. Thread-safe. */
public final class KafkaServers {

    private KafkaServers() {}

    /**
     * The broker that the tests of this JVM share; use topics and groups of your own. By {@code
     * -Ddedup.test.kafka=host:port} or {@code DEDUP_TEST_KAFKA}, else in a container, else embedded.
     */
    public static KafkaAddress shared() {
        return Shared.ADDRESS;
    }

    /** A new embedded broker, with defaults. */
    public static KafkaServer start() {
        return builder().start();
    }

    /** A builder of a new embedded broker. */
    public static KafkaServer.Builder builder() {
        return KafkaServer.builder();
    }

    /** Three embedded brokers, which keep every record three times and confirm what two of them have. */
    public static KafkaCluster startCluster() {
        return KafkaCluster.start();
    }

    private static final class Shared {
        static final KafkaAddress ADDRESS = Settings.get("kafka")
                .map(KafkaAddress::new)
                .or(KafkaInContainer::start)
                .orElseGet(() -> start().address());
    }
}

package io.dedup.testservers.kafka;

import io.dedup.testservers.install.FileTrees;
import io.dedup.testservers.process.LocalServer;
import io.dedup.testservers.process.OrphanSignal;
import io.dedup.testservers.process.Ports;
import io.dedup.testservers.process.ServerProcess;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/** A Kafka broker (KRaft; a controller as well) of one's own, which keeps its records until {@link #close()}. Thread-safe. */
public final class KafkaServer extends LocalServer {

    private final Path properties;

    private KafkaServer(Builder builder) {
        super("kafka", builder.port == 0 ? Ports.free() : builder.port);
        this.properties = FileTrees.write(directory().resolve("server.properties"), properties(builder.settings));
        FileTrees.createDirectory(directory().resolve("data"));
        KafkaProgram.newData(builder.node, directory().resolve("data"));
    }

    static Builder builder() {
        return new Builder();
    }

    public KafkaAddress address() {
        return new KafkaAddress(bootstrapServers());
    }

    /** The value of {@code bootstrap.servers}. */
    public String bootstrapServers() {
        return host() + ":" + port();
    }

    /** See {@link KafkaAddress#createTopic(String, int)}. */
    public void createTopic(String name, int partitions) {
        address().createTopic(name, partitions);
    }

    @Override
    protected ServerProcess launch() {
        ServerProcess process =
                launch(KafkaProgram.command(directory(), "kafka.Kafka", properties.toString()), OrphanSignal.KILL);
        process.awaitReady(() -> process.hasLogged("Kafka Server started"));
        return process;
    }

    private String properties(Map<String, String> overrides) {
        Map<String, String> all = new LinkedHashMap<>(KafkaSettings.defaults(host(), port(), Ports.free()));
        all.put("log.dirs", directory().resolve("data").toString());
        all.putAll(overrides);
        return all.entrySet().stream()
                .map(entry -> entry.getKey() + "=" + entry.getValue() + "\n")
                .collect(Collectors.joining());
    }

    /** Not thread-safe. */
    public static final class Builder {

        private final Map<String, String> settings = new LinkedHashMap<>();
        private int port;
        private int node = 1;

        private Builder() {}

        /** The number among several; 1 unless set. */
        Builder node(int number) {
            node = number;
            return setting("node.id", Integer.toString(number));
        }

        /** Doesn't start it. */
        KafkaServer build() {
            return new KafkaServer(this);
        }

        /** A setting of {@code server.properties}. */
        public Builder setting(String name, String value) {
            settings.put(name, value);
            return this;
        }

        /** The port; a free one unless set. */
        public Builder port(int port) {
            this.port = port;
            return this;
        }

        /**
         * The address that the broker advertises to clients, which is where a {@code TcpProxy} in front of the broker's
         * {@link #port(int)} listens.
         */
        public Builder advertisedPort(int advertised) {
            return setting("advertised.listeners", "PLAINTEXT://127.0.0.1:" + advertised);
        }

        /** Starts it and waits until it serves. */
        public KafkaServer start() {
            KafkaServer server = build();
            server.start();
            return server;
        }
    }
}

package io.dedup.testservers.rocketmq;

import io.dedup.testservers.install.FileTrees;
import io.dedup.testservers.process.LocalServer;
import io.dedup.testservers.process.OrphanSignal;
import io.dedup.testservers.process.Ports;
import io.dedup.testservers.process.ServerProcess;
import io.dedup.testservers.rocketmq.program.RocketMqProgram;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * RocketMQ in one process of its own: name server, broker and the proxy that clients of version 5 talk to. It keeps its
 * messages until {@link #close()}. Its orderly end takes 10 to 20 s, so {@link #stop()} kills it as well: nothing is
 * missing afterwards. Thread-safe.
 */
public final class RocketMqServer extends LocalServer {

    /** What a topic takes. */
    public enum TopicType {
        NORMAL,
        FIFO,
        DELAY,
        TRANSACTION,
        LITE
    }

    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final List<String> JVM_OPTIONS =
            List.of("-Xms128m", "-Xmx384m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData");

    private final HttpClient http = HttpClient.newHttpClient();
    private final Path settings;
    private final int controlPort = Ports.free();
    private final int nameServerPort = Ports.free();

    private RocketMqServer(Builder builder) {
        super("rocketmq", builder.port == 0 ? Ports.free() : builder.port);
        Map<String, String> all = new LinkedHashMap<>();
        all.put("home", directory().toString());
        all.put("nameServerPort", Integer.toString(nameServerPort));
        all.put("brokerPort", Integer.toString(Ports.free()));
        all.put("proxyPort", Integer.toString(port()));
        all.put("controlPort", Integer.toString(controlPort));
        all.putAll(builder.settings);
        this.settings = FileTrees.write(
                directory().resolve("server.properties"),
                all.entrySet().stream()
                        .map(entry -> entry.getKey() + "=" + entry.getValue() + "\n")
                        .collect(Collectors.joining()));
    }

    static Builder builder() {
        return new Builder();
    }

    /** The endpoints for {@code ClientConfiguration}. */
    public String endpoints() {
        return host() + ":" + port();
    }

    /** For clients of the older kind, which ask the name server for their brokers. */
    public String nameServerAddress() {
        return host() + ":" + nameServerPort;
    }

    /** Creates a topic, or changes it, and returns when clients can find it. */
    public void createTopic(String name, TopicType type, int queues) {
        order("topic", name, type.name(), Integer.toString(queues));
    }

    /**
     * Creates a consumer group, which has to exist before its first consumer starts.
     *
     * @param maxRetries how often a message is redelivered before it goes to the dead-letter queue
     * @param delays between attempts; the broker's own, of 1 s and more, when empty
     */
    public void createGroup(String name, boolean fifo, int maxRetries, Duration... delays) {
        order(
                "group",
                name,
                Boolean.toString(fifo),
                Integer.toString(maxRetries),
                Arrays.stream(delays)
                        .map(delay -> Long.toString(delay.toMillis()))
                        .collect(Collectors.joining(",")));
    }

    /** Creates a consumer group for the lite topics below a topic of type {@link TopicType#LITE}. */
    public void createLiteGroup(String name, String topic, int maxRetries) {
        order("lite-group", name, topic, Integer.toString(maxRetries));
    }

    /** Has the group read a topic from its start again. */
    public void resetOffset(String topic, String group) {
        order("reset", topic, group);
    }

    /**
     * Ends it in an orderly way, which takes 10 to 20 s; {@link #start()} starts it again. Clients see their connections
     * closed after the broker has written everything down.
     */
    public void shutDown() {
        Optional<ProcessHandle> running = ProcessHandle.of(pid());
        order("end");
        if (running.isPresent()) {
            running.get()
                    .onExit()
                    .orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS)
                    .join();
        }
    }

    /** The values of a property in a group's dead letters; letters without it are left out. */
    public List<String> deadLetters(String group, String property) {
        return order("dead-letters", group, property).lines().toList();
    }

    private String order(String... words) {
        URI uri = URI.create("http://127.0.0.1:" + controlPort + "/" + String.join("/", words));
        try {
            var answer = http.send(HttpRequest.newBuilder(uri).timeout(LIMIT).build(), BodyHandlers.ofString());
            if (answer.statusCode() != 200) {
                throw new IllegalStateException(uri.getPath() + " failed: " + answer.body());
            }
            return answer.body();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for " + name(), e);
        }
    }

    @Override
    protected ServerProcess launch() {
        ServerProcess process =
                launch(ProgramCommand.of(RocketMqProgram.class, directory(), JVM_OPTIONS, settings), OrphanSignal.KILL);
        process.awaitReady(() -> process.hasLogged(RocketMqProgram.READY));
        return process;
    }

    @Override
    protected String endSignal() {
        return "KILL";
    }

    /** Not thread-safe. */
    public static final class Builder {

        private final Map<String, String> settings = new LinkedHashMap<>();
        private int port;

        private Builder() {}

        /** A setting of the broker, as in {@code broker.conf}. */
        public Builder brokerSetting(String name, String value) {
            settings.put("broker." + name, value);
            return this;
        }

        /** A setting of the proxy, as in {@code rmq-proxy.json}: a number, {@code true} or {@code false}. */
        public Builder proxySetting(String name, String value) {
            settings.put("proxy." + name, value);
            return this;
        }

        /** A system property of its process, for what the server has no other setting for. */
        public Builder systemProperty(String name, String value) {
            settings.put("system." + name, value);
            return this;
        }

        /**
         * A proxy that talks to the broker over the network, as where there are several brokers, and not within the
         * process. Lite topics need it.
         */
        public Builder clusterMode() {
            settings.put("clusterMode", "true");
            return this;
        }

        /** The proxy's port; a free one unless set. */
        public Builder port(int port) {
            this.port = port;
            return this;
        }

        /** Starts it and waits until it serves. */
        public RocketMqServer start() {
            RocketMqServer server = new RocketMqServer(this);
            server.start();
            return server;
        }
    }
}

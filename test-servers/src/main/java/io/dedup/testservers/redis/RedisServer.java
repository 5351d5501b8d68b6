package io.dedup.testservers.redis;

import io.dedup.testservers.install.FileTrees;
import io.dedup.testservers.process.LocalServer;
import io.dedup.testservers.process.OrphanSignal;
import io.dedup.testservers.process.Ports;
import io.dedup.testservers.process.ServerProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A Redis server of one's own. Without persistence unless configured otherwise: a restart forgets everything.
 * Thread-safe.
 */
public final class RedisServer extends LocalServer {

    private final RedisBinary binary;
    private final Map<String, String> config;
    private final @Nullable Path file;
    private final List<String> flags;

    private RedisServer(Builder builder) {
        super(builder.name, builder.port == 0 ? Ports.free() : builder.port);
        this.binary = builder.binary;
        this.config = Map.copyOf(builder.config);
        this.flags = List.copyOf(builder.flags);
        this.file = builder.fileContent == null
                ? null
                : FileTrees.write(directory().resolve("redis.conf"), builder.fileContent);
    }

    static Builder builder() {
        return new Builder();
    }

    public RedisBinary binary() {
        return binary;
    }

    public RedisAddress address() {
        return new RedisAddress(host(), port(), config.get("requirepass"));
    }

    /** {@code redis://[:password@]host:port}. */
    public String uri() {
        return address().uri();
    }

    /** See {@link RedisAddress#command}. */
    public String command(String... command) {
        return address().command(command);
    }

    @Override
    protected ServerProcess launch() {
        List<String> command = new ArrayList<>(List.of(binary.path().toString()));
        if (file != null) {
            command.add(file.toString());
        }
        command.addAll(List.of("--port", Integer.toString(port()), "--bind", host(), "--daemonize", "no"));
        config.forEach((name, value) -> {
            command.add("--" + name);
            command.addAll(arguments(value));
        });
        command.addAll(flags);
        ServerProcess process = launch(command, OrphanSignal.KILL);
        process.awaitReady(this::answers);
        return process;
    }

    /** An empty value is an argument of its own (as in {@code save ""}), several words are several arguments. */
    private static List<String> arguments(String value) {
        return value.isEmpty() ? List.of("") : List.of(value.split(" "));
    }

    private boolean answers() {
        try (RespClient client = RespClient.connect(host(), port(), config.get("requirepass"))) {
            return client.call("PING").equals("PONG");
        } catch (IOException notYet) {
            return false;
        }
    }

    /** Not thread-safe. */
    public static final class Builder {

        private final Map<String, String> config = new LinkedHashMap<>(Map.of("save", ""));
        private final List<String> flags = new ArrayList<>();
        private RedisBinary binary = RedisBinary.embedded();
        private String name = "redis";
        private int port;
        private @Nullable String fileContent;

        private Builder() {}

        /** The program; {@link RedisBinary#embedded()} unless set. */
        public Builder binary(RedisBinary binary) {
            this.binary = binary;
            return this;
        }

        /**
         * A directive of {@code redis.conf}, such as {@code maxmemory}, {@code maxmemory-policy}, {@code requirepass} or
         * {@code appendonly}; words of the value are separated by one space each.
         */
        public Builder config(String name, String value) {
            config.put(name, value);
            return this;
        }

        /** Gives a command another name; an empty one disables it. May be called several times. */
        public Builder renamed(String command, String name) {
            flags.addAll(List.of("--rename-command", command, name));
            return this;
        }

        /** The port; a free one unless set. */
        public Builder port(int port) {
            this.port = port;
            return this;
        }

        Builder sentinel(String configuration) {
            name = "sentinel";
            fileContent = configuration;
            config.clear();
            flags.add("--sentinel");
            return this;
        }

        /** Starts it and waits until it answers. */
        public RedisServer start() {
            RedisServer server = new RedisServer(this);
            server.start();
            return server;
        }
    }
}

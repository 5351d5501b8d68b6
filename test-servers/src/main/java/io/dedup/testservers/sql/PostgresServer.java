package io.dedup.testservers.sql;

import io.dedup.testservers.process.LocalServer;
import io.dedup.testservers.process.OrphanSignal;
import io.dedup.testservers.process.Ports;
import io.dedup.testservers.process.ServerProcess;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * A PostgreSQL 18 of one's own. What is committed survives {@link #kill()}; nothing is synced to the disk unless {@code
 * fsync} is set. Thread-safe.
 */
public final class PostgresServer extends LocalServer {

    private final Map<String, String> settings;

    private PostgresServer(Builder builder) {
        super("postgres", builder.port == 0 ? Ports.free() : builder.port);
        this.settings = Map.copyOf(builder.settings);
        builder.files.accept(data());
    }

    static Builder builder() {
        return new Builder();
    }

    public SqlAddress address() {
        String user = PostgresBinary.SUPERUSER;
        return new SqlAddress("jdbc:postgresql://" + host() + ":" + port() + "/", user, "", user, user);
    }

    /** See {@link SqlAddress#newDatabase}. */
    public SqlDatabase newDatabase() {
        return address().newDatabase();
    }

    private Path data() {
        return directory().resolve("data");
    }

    @Override
    protected ServerProcess launch() {
        List<String> command =
                new ArrayList<>(List.of(PostgresBinary.program("postgres").toString(), "-D", "data"));
        command.addAll(List.of("-h", host(), "-p", Integer.toString(port())));
        settings.forEach((name, value) -> command.addAll(List.of("-c", name + "=" + value)));
        ServerProcess process = launch(Unprivileged.command(command), OrphanSignal.QUIT);
        process.awaitReady(() -> process.hasLogged("database system is ready to accept"));
        return process;
    }

    /** Fast shutdown: it doesn't wait for clients to leave. */
    @Override
    protected String endSignal() {
        return "INT";
    }

    /** Immediate shutdown, as only that gives shared memory back. */
    @Override
    protected void discard(ServerProcess running) {
        running.resume();
        running.end("QUIT");
    }

    /** Not thread-safe. */
    public static final class Builder {

        private final Map<String, String> settings = new LinkedHashMap<>(Map.of(
                "unix_socket_directories", "",
                "fsync", "off",
                "full_page_writes", "off",
                "max_connections", "200",
                "shared_buffers", "64MB"));
        private int port;
        private Consumer<Path> files = PostgresBinary::copyNewData;

        private Builder() {}

        /** A setting of {@code postgresql.conf}. */
        public Builder setting(String name, String value) {
            settings.put(name, value);
            return this;
        }

        /** The port; a free one unless set. */
        public Builder port(int port) {
            this.port = port;
            return this;
        }

        /** Makes it a replica of a server that runs. */
        Builder following(PostgresServer primary, AdminSession session) {
            String connection =
                    "host=" + primary.host() + " port=" + primary.port() + " user=" + PostgresBinary.SUPERUSER;
            files = to -> PostgresBackup.copy(session, primary.data(), to, connection);
            return this;
        }

        /** Starts it and waits until it accepts connections. */
        public PostgresServer start() {
            PostgresServer server = new PostgresServer(this);
            server.start();
            return server;
        }
    }
}

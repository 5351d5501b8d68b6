package io.dedup.testservers.sql;

import io.dedup.testservers.install.FileTrees;
import io.dedup.testservers.process.LocalServer;
import io.dedup.testservers.process.OrphanSignal;
import io.dedup.testservers.process.Ports;
import io.dedup.testservers.process.ServerProcess;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A MariaDB 11.4 of one's own. What is committed survives {@link #kill()}; nothing is synced to the disk at each commit
 * unless {@code innodb-flush-log-at-trx-commit} is set. Thread-safe.
 */
public final class MariaDbServer extends LocalServer {

    private final Map<String, String> settings;

    private MariaDbServer(Builder builder) {
        super("mariadb", builder.port == 0 ? Ports.free() : builder.port);
        this.settings = Map.copyOf(builder.settings);
        MariaDbBinary.copyNewData(directory().resolve("data"));
        FileTrees.createDirectory(temporary());
    }

    static Builder builder() {
        return new Builder();
    }

    public SqlAddress address() {
        return new SqlAddress("jdbc:mariadb://" + host() + ":" + port() + "/", "", "", "root", "");
    }

    /** See {@link SqlAddress#newDatabase}. */
    public SqlDatabase newDatabase() {
        return address().newDatabase();
    }

    @Override
    protected ServerProcess launch() {
        List<String> command = new ArrayList<>(MariaDbBinary.command(directory().resolve("data")));
        command.addAll(List.of("--bind-address=" + host(), "--port=" + port()));
        command.add("--socket=" + directory().resolve("s"));
        // Not the machine's: a server that starts removes every temporary table there, also those of a running one.
        command.add("--tmpdir=" + temporary());
        settings.forEach((name, value) -> command.add("--" + name + "=" + value));
        ServerProcess process = launch(command, OrphanSignal.KILL);
        process.awaitReady(() -> process.hasLogged("ready for connections"));
        return process;
    }

    private Path temporary() {
        return directory().resolve("tmp");
    }

    /** Not thread-safe. */
    public static final class Builder {

        private final Map<String, String> settings = new LinkedHashMap<>(Map.of(
                // Making a certificate at start takes this build of the server up to half a minute.
                "ssl", "OFF",
                "skip-name-resolve", "ON",
                "performance-schema", "OFF",
                "innodb-buffer-pool-size", "64M",
                "innodb-flush-log-at-trx-commit", "2",
                "innodb-buffer-pool-dump-at-shutdown", "OFF",
                "max-connections", "200"));
        private int port;

        private Builder() {}

        /** An option of the server, without its leading dashes. */
        public Builder setting(String name, String value) {
            settings.put(name, value);
            return this;
        }

        /** The port; a free one unless set. */
        public Builder port(int port) {
            this.port = port;
            return this;
        }

        /** Starts it and waits until it accepts connections. */
        public MariaDbServer start() {
            MariaDbServer server = new MariaDbServer(this);
            server.start();
            return server;
        }
    }
}

package io.dedup.testservers.sql;

import io.dedup.testservers.install.FileTrees;
import io.dedup.testservers.process.LocalServer;
import io.dedup.testservers.process.OrphanSignal;
import io.dedup.testservers.process.Ports;
import io.dedup.testservers.process.ServerProcess;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * PgBouncer, the pooler, in front of a PostgreSQL server. Debian's package {@code pgbouncer} has it; no artifact of Maven Central
 * does. Thread-safe.
 */
public final class PgBouncer extends LocalServer {

    private final Path program;

    private PgBouncer(Path program, SqlAddress server, String poolMode, int sessions) {
        super("pgbouncer", Ports.free());
        this.program = program;
        String target = server.prefix().substring(server.prefix().indexOf("//") + 2);
        String host = target.substring(0, target.indexOf(':'));
        String port = target.substring(target.indexOf(':') + 1).replace("/", "");
        FileTrees.write(
                directory().resolve("pgbouncer.ini"),
                String.join(
                        "\n",
                        "[databases]",
                        "* = host=" + host + " port=" + port + " user=" + server.user() + " password="
                                + server.password(),
                        "[pgbouncer]",
                        "listen_addr = " + host(),
                        "listen_port = " + port(),
                        "unix_socket_dir =",
                        "auth_type = any",
                        "pool_mode = " + poolMode,
                        "default_pool_size = " + sessions,
                        "max_client_conn = 500",
                        "ignore_startup_parameters = extra_float_digits",
                        ""));
    }

    /** By {@code -Ddedup.test.pgbouncer=/path/to/pgbouncer}, or installed. Empty where there is none: then report the test as skipped. */
    public static Optional<Path> installed() {
        return InstalledProgram.find("pgbouncer", InstalledProgram.onPath("pgbouncer"));
    }

    /**
     * Starts it.
     *
     * @param program from {@link #installed}
     * @param server the server behind it
     * @param poolMode as in its configuration, such as {@code transaction}
     * @param sessions how many sessions of the server it has for each database
     */
    public static PgBouncer start(Path program, SqlAddress server, String poolMode, int sessions) {
        PgBouncer bouncer = new PgBouncer(program, server, poolMode, sessions);
        bouncer.start();
        return bouncer;
    }

    @Override
    protected ServerProcess launch() {
        ServerProcess process = launch(
                Unprivileged.command(List.of(
                        program.toString(), directory().resolve("pgbouncer.ini").toString())),
                OrphanSignal.KILL);
        process.awaitReady(() -> process.hasLogged("process up"));
        return process;
    }
}

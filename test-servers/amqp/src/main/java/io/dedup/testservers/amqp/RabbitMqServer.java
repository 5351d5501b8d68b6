package io.dedup.testservers.amqp;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** RabbitMQ as Debian's package {@code rabbitmq-server} installs it, with a node and a directory of its own. */
public final class RabbitMqServer implements AutoCloseable {
    private static final Path INSTALLED = Path.of("/usr/lib/rabbitmq/bin/rabbitmq-server");
    private static final Duration START = Duration.ofMinutes(2);

    private static final int METHOD = 1;

    private final Path directory = Files.createTempDirectory("rabbitmq");
    private final int port = freePort();
    private final ProcessBuilder names;
    private final Process process;

    /** Null if it isn't installed. */
    public static @Nullable Path installed() {
        return Files.isExecutable(INSTALLED) ? INSTALLED : null;
    }

    public RabbitMqServer(Path program) throws IOException {
        // A name server of its own for Erlang, which outlives its node.
        Map<String, String> settings =
                Map.of("ERL_EPMD_PORT", Integer.toString(freePort()), "HOME", directory.toString());
        ProcessBuilder builder = new ProcessBuilder(program.toString());
        builder.environment().putAll(settings);
        builder.environment()
                .putAll(Map.of(
                        "RABBITMQ_NODENAME", "dedup@localhost",
                        "RABBITMQ_NODE_IP_ADDRESS", "127.0.0.1",
                        "RABBITMQ_NODE_PORT", Integer.toString(port),
                        "RABBITMQ_DIST_PORT", Integer.toString(freePort()),
                        "RABBITMQ_MNESIA_BASE", directory.resolve("data").toString(),
                        "RABBITMQ_LOGS", directory.resolve("log").toString(),
                        "RABBITMQ_ENABLED_PLUGINS_FILE",
                                directory.resolve("plugins").toString(),
                        "RABBITMQ_CONFIG_FILE", directory.resolve("none").toString(),
                        "RABBITMQ_CONF_ENV_FILE", directory.resolve("none-env").toString()));
        builder.redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD);
        names = new ProcessBuilder("epmd", "-kill")
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD);
        names.environment().putAll(settings);
        process = builder.start();
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    public int port() {
        return port;
    }

    public void awaitReady() throws InterruptedException {
        long until = System.nanoTime() + START.toNanos();
        while (process.isAlive() && System.nanoTime() - until < 0) {
            if (answers()) {
                return;
            }
            TimeUnit.MILLISECONDS.sleep(100);
        }
        throw new IllegalStateException("RabbitMQ hasn't started; see " + directory);
    }

    /** To a client that asks for the protocol's version 0-9-1, with the first method of a connection. */
    private boolean answers() {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.getOutputStream().write(new byte[] {'A', 'M', 'Q', 'P', 0, 0, 9, 1});
            return socket.getInputStream().read() == METHOD;
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public void close() throws IOException {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly().onExit().join();
        while (names.start().onExit().join().exitValue() != 0) { // as long as it knows the node
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
        }
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}

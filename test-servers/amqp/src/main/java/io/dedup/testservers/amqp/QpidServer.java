package io.dedup.testservers.amqp;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URL;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.apache.qpid.server.SystemLauncher;
import org.jspecify.annotations.Nullable;

/** Apache Qpid, which RabbitMQ's client talks to, in this process. It forgets everything when it is closed. */
public final class QpidServer implements AutoCloseable {
    private final SystemLauncher launcher = new SystemLauncher();
    private final int port;

    public QpidServer() throws Exception {
        port = freePort();
        URL configuration = Objects.requireNonNull(QpidServer.class.getResource("qpid.json"));
        Map<String, @Nullable Object> attributes = new HashMap<>();
        attributes.put("type", "Memory");
        attributes.put("initialConfigurationLocation", configuration.toExternalForm());
        attributes.put("startupLoggedToSystemOut", false);
        attributes.put("context", Map.of("qpid.amqp_port", String.valueOf(port)));
        launcher.startup(attributes);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    public int port() {
        return port;
    }

    @Override
    public void close() {
        launcher.shutdown();
    }
}

package io.dedup.examples.method;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URL;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.apache.qpid.server.SystemLauncher;
import org.jspecify.annotations.Nullable;

/** A broker that RabbitMQ's client talks to, in this process. */
final class AmqpBroker implements AutoCloseable {
    private final SystemLauncher launcher = new SystemLauncher();
    private final int port;

    AmqpBroker() throws Exception {
        port = freePort();
        URL configuration = Objects.requireNonNull(AmqpBroker.class.getResource("/qpid.json"));
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

    int port() {
        return port;
    }

    @Override
    public void close() {
        launcher.shutdown();
    }
}

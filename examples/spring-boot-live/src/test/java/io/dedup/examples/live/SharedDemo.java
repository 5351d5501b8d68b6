package io.dedup.examples.live;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;

/** The demo that the tests of this JVM share. A test uses orders of its own, and leaves a running consumer. */
final class SharedDemo {
    /** How long anything may take to become visible, including the start of a JVM on a busy machine. */
    static final Duration LIMIT = Duration.ofMinutes(3);

    private SharedDemo() {}

    static String url() {
        return Started.DEMO.url();
    }

    /** Of the consumer, which keeps it when it is killed and started again. */
    static String metricsUrl() {
        return "http://127.0.0.1:" + Started.METRICS_PORT + "/actuator/prometheus";
    }

    static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static final class Started {
        static final int METRICS_PORT = freePort();
        static final LiveDemo DEMO = LiveDemo.start("--server.port=0", "--live.metrics-port=" + METRICS_PORT);

        static {
            Runtime.getRuntime().addShutdownHook(new Thread(DEMO::close, "close"));
        }
    }
}

package io.dedup.testservers;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/** Free ports of this machine. */
final class Ports {

    // Below the range that clients get their ports from: none can take ours while a server is being restarted.
    private static final int FIRST = 20_000;
    private static final int COUNT = 2_500;
    private static final int TRIES = 200;

    private Ports() {}

    /** A port on which nobody listens, and 10,000 above it neither (a Redis cluster talks there). */
    static int free() {
        for (int i = 0; i < TRIES; i++) {
            int port = FIRST + ThreadLocalRandom.current().nextInt(COUNT);
            if (canListen(port) && canListen(port + 10_000)) {
                return port;
            }
        }
        throw new IllegalStateException("no free port from " + FIRST + " to " + (FIRST + COUNT));
    }

    private static boolean canListen(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(port));
            return true;
        } catch (IOException taken) {
            return false;
        }
    }
}

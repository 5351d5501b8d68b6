package io.dedup.testservers.process;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/** Free ports of this machine. */
public final class Ports {

    // Below the range that clients get their ports from: none can take ours while a server is being restarted.
    private static final int FIRST = 20_000;
    private static final int COUNT = 2_500;
    private static final int TRIES = 200;
    // A RocketMQ broker listens beside its port, too.
    private static final int DISTANCE = 5;
    // In turn: what was given out a moment ago isn't listened on yet, and chance would give it out again.
    private static final AtomicInteger TURN =
            new AtomicInteger(ThreadLocalRandom.current().nextInt(COUNT / DISTANCE));

    private Ports() {}

    /** A free port whose number plus 10,000 is free as well (a Redis cluster talks there). */
    public static int free() {
        for (int i = 0; i < TRIES; i++) {
            int place = Math.floorMod(TURN.getAndIncrement(), COUNT / DISTANCE);
            int port = FIRST + place * DISTANCE;
            if (PortLocks.take(place) && canListen(port) && canListen(port + 10_000)) {
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

package io.dedup.benchmarks.network;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A port of this machine that leads to another one, as far away as a network makes it: whatever is sent arrives half a round
 * trip later, and what is sent meanwhile doesn't wait for it. Thread-safe.
 */
public final class Link implements AutoCloseable {
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final ServerSocket listener;
    private final int target;
    private final long oneWayNanos;

    private Link(int target, Duration roundTrip) {
        this.target = target;
        this.oneWayNanos = roundTrip.toNanos() / 2;
        try {
            listener = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Starts one. */
    public static Link to(int port, Duration roundTrip) {
        Link link = new Link(port, roundTrip);
        start("link-" + port, link::accept);
        return link;
    }

    /** Where clients connect to, on the loopback address. */
    public int port() {
        return listener.getLocalPort();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = keep(listener.accept());
                Socket server = keep(new Socket(InetAddress.getLoopbackAddress(), target));
                direction(client, server);
                direction(server, client);
            } catch (IOException e) {
                if (!listener.isClosed()) {
                    throw new UncheckedIOException(e);
                }
            }
        }
    }

    private Socket keep(Socket socket) throws IOException {
        socket.setTcpNoDelay(true);
        sockets.add(socket);
        return socket;
    }

    private void direction(Socket from, Socket to) {
        LinkDirection direction = new LinkDirection(from, to, oneWayNanos);
        start("link-in", direction::read);
        start("link-out", () -> {
            direction.write();
            sockets.remove(from);
            sockets.remove(to);
        });
    }

    private static void start(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() {
        try {
            listener.close();
            for (Socket socket : sockets) {
                socket.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

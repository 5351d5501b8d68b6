package io.dedup.testkit.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A TCP proxy between a client and a server that simulates network failures: connect the client to {@link #port()} on
 * this machine. Faults last until {@link #heal()}, unless stated otherwise. Thread-safe.
 *
 * <p>To simulate a restart of the server, call {@link #refuse()}, {@link #cut()} and, when it is back, {@link #heal()}.
 * If it comes back on another port, as containers do, call {@link #retarget}.
 *
 * <p>It stands before one address. A client that learns others from its server, as those of Redis Cluster, Sentinel and
 * Kafka do, goes past the proxy: let the server advertise the proxy's port, or give each address a proxy.
 */
public final class TcpProxy implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(TcpProxy.class);
    private static final Duration LIMIT = Duration.ofSeconds(5);
    private static final Duration PROBE_PAUSE = Duration.ofMillis(1);
    // Below the range of ephemeral ports, so that no client can take the port while connections are refused.
    private static final int FIRST_PORT = 22_500;
    private static final int PORTS = 2_500;
    private static final int TRIES = 200;

    private final ProxyFaults faults = new ProxyFaults();
    private final LongAdder roundTrips = new LongAdder();
    private final Set<ProxiedConnection> connections = ConcurrentHashMap.newKeySet();
    private final int port;
    private volatile InetSocketAddress target;
    private @Nullable ServerSocket listener;
    private @Nullable Thread acceptor;

    private TcpProxy(String targetHost, int targetPort) {
        this.target = InetSocketAddress.createUnresolved(targetHost, targetPort);
        this.port = listenSomewhere();
    }

    /**
     * Starts a proxy in front of a port on this machine.
     *
     * @throws IllegalStateException when no port is free
     */
    public static TcpProxy to(int targetPort) {
        return to("127.0.0.1", targetPort);
    }

    /**
     * Starts a proxy in front of a server.
     *
     * @throws IllegalStateException when no port is free
     */
    public static TcpProxy to(String targetHost, int targetPort) {
        return new TcpProxy(targetHost, targetPort);
    }

    /** Returns the port for clients, on the loopback address. */
    public int port() {
        return port;
    }

    /** Returns the number of open connections, including half-open ones. */
    public int connections() {
        return connections.size();
    }

    /**
     * Returns how many round trips have passed on all connections so far. Everything that a client sends before the
     * server answers counts as one request, and everything that comes back as one answer.
     */
    public long roundTrips() {
        return roundTrips.sum();
    }

    /** Closes all current connections. New ones are accepted. */
    public void cut() {
        connections.forEach(ProxiedConnection::close);
    }

    /** Refuses new connections; current ones continue. */
    public synchronized void refuse() {
        if (listener != null) {
            close(listener);
            listener = null;
            awaitEnd(Objects.requireNonNull(acceptor));
            awaitRefusal();
        }
    }

    /** The operating system accepts connections to a closed socket while a thread is still waiting for them. */
    private static void awaitEnd(Thread acceptor) {
        try {
            acceptor.join(LIMIT.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * A process that another thread is just starting inherits the closed socket until its program begins, and the operating
     * system accepts connections for so long.
     */
    private void awaitRefusal() {
        long until = System.nanoTime() + LIMIT.toNanos();
        while (System.nanoTime() < until) {
            try (Socket probe = new Socket(InetAddress.getLoopbackAddress(), port)) {
                log.debug("Port {} still accepts connections: {}", port, probe);
            } catch (IOException refused) {
                return;
            }
            LockSupport.parkNanos(PROBE_PAUSE.toNanos());
        }
    }

    /**
     * Stops forwarding in both directions: connections stay open and new ones are accepted, but nothing answers. What
     * was sent meanwhile is forwarded when healed.
     */
    public void freeze() {
        faults.freeze();
    }

    /**
     * Makes the current connections half open, permanently: the server sees them closed, their clients don't, and what
     * the clients send is discarded. This simulates a server that has lost its power, or a firewall that has dropped
     * the connections. New connections work.
     */
    public void halfOpen() {
        connections.forEach(ProxiedConnection::halfOpen);
    }

    /** Delays everything by this much, in each direction. */
    public void delay(Duration delay) {
        faults.delay(delay);
    }

    /** Forwards requests to the server and discards its replies. */
    public void dropReplies() {
        faults.dropReplies();
    }

    /**
     * Loses one reply: the next request that contains the text reaches the server; when the server replies, the reply
     * is discarded and the connection is closed. This simulates a request that was executed without the sender's
     * knowledge. {@link #lostReplies()} shows when it has happened.
     *
     * @param text ASCII, contained in one packet; empty for the next request of any kind
     */
    public void loseReplyTo(String text) {
        faults.loseReplyTo(text);
    }

    /** Returns how many replies {@link #loseReplyTo} has discarded. */
    public int lostReplies() {
        return faults.lostReplies();
    }

    /** Forwards new connections to another server, for example one that was restarted; current connections stay. */
    public void retarget(String targetHost, int targetPort) {
        target = InetSocketAddress.createUnresolved(targetHost, targetPort);
    }

    /**
     * Ends all faults. What was frozen is forwarded now; what was discarded stays lost, and half-open connections stay
     * half open.
     */
    public synchronized void heal() {
        faults.heal();
        if (listener == null) {
            try {
                listen(port);
            } catch (IOException e) {
                throw new UncheckedIOException("Cannot listen on port " + port, e);
            }
        }
    }

    /** Closes the port and all connections. */
    @Override
    public void close() {
        refuse();
        faults.heal();
        cut();
    }

    private synchronized int listenSomewhere() {
        for (int i = 0; i < TRIES; i++) {
            int any = FIRST_PORT + ThreadLocalRandom.current().nextInt(PORTS);
            try {
                listen(any);
                return any;
            } catch (IOException taken) {
                log.debug("Port {} is taken: {}", any, taken.toString());
            }
        }
        throw new IllegalStateException("No free port from " + FIRST_PORT + " to " + (FIRST_PORT + PORTS));
    }

    private void listen(int where) throws IOException {
        ServerSocket socket = new ServerSocket();
        try {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), where));
        } catch (IOException e) {
            close(socket);
            throw e;
        }
        listener = socket;
        acceptor = daemon(where + "-accept", () -> accept(socket));
    }

    private void accept(ServerSocket socket) {
        while (!socket.isClosed()) {
            try {
                connect(socket.accept());
            } catch (IOException e) {
                log.debug("The proxy of {} has stopped listening: {}", target, e.toString());
            }
        }
    }

    private void connect(Socket client) throws IOException {
        Socket server;
        try {
            server = new Socket(target.getHostString(), target.getPort());
        } catch (IOException e) {
            // Similar to what the client would see without the proxy.
            client.close();
            return;
        }
        ProxiedConnection connection = new ProxiedConnection(client, server, faults, roundTrips, connections::remove);
        connections.add(connection);
        daemon(port + "-requests", connection::passRequests);
        daemon(port + "-replies", connection::passReplies);
    }

    private static Thread daemon(String what, Runnable work) {
        Thread thread = new Thread(work, "tcp-proxy-" + what);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private static void close(ServerSocket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stands between a client and a server, and breaks what a network breaks: point the client at {@link #port()} of this
 * machine. Faults last until {@link #heal()}, unless said otherwise. Thread-safe.
 *
 * <p>What a restart of the server looks like from outside is {@link #refuse()}, {@link #cut()} and, when it is back,
 * {@link #heal()}; {@link #retarget} for one that comes back on another port, as containers do.
 */
public final class TcpProxy implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(TcpProxy.class);
    private static final Duration LIMIT = Duration.ofSeconds(5);
    // Below the range that systems give to clients: none of them can take the port while it is refused.
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

    /** Starts a proxy in front of a port of this machine. */
    public static TcpProxy to(int targetPort) {
        return to("127.0.0.1", targetPort);
    }

    /** Starts a proxy in front of a server. */
    public static TcpProxy to(String targetHost, int targetPort) {
        return new TcpProxy(targetHost, targetPort);
    }

    /** Where clients connect to, on the loopback address. */
    public int port() {
        return port;
    }

    /** Connections that are open now; those that are half open count. */
    public int connections() {
        return connections.size();
    }

    /**
     * How often a server has answered after it was asked, on all connections so far: what a client sends in one go and
     * what comes back for it count as one.
     */
    public long roundTrips() {
        return roundTrips.sum();
    }

    /** Closes all connections through which something has passed. New ones are taken. */
    public void cut() {
        connections.forEach(ProxiedConnection::close);
    }

    /** Refuses new connections; those through which something has passed go on. */
    public synchronized void refuse() {
        if (listener != null) {
            close(listener);
            listener = null;
            awaitEnd(Objects.requireNonNull(acceptor));
        }
    }

    /** The system takes connections to a closed socket as long as a thread still waits for them. */
    private static void awaitEnd(Thread acceptor) {
        try {
            acceptor.join(LIMIT.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * A black hole: stops passing anything on, in both directions; connections stay open, new ones are taken, and nobody
     * answers. What waits is passed on when healed.
     */
    public void freeze() {
        faults.freeze();
    }

    /**
     * The connections of now become half open, for good: the server sees them closed, their clients don't, and what
     * those send goes nowhere. What a server that lost its power leaves behind, or a firewall that forgot. New
     * connections work.
     */
    public void halfOpen() {
        connections.forEach(ProxiedConnection::halfOpen);
    }

    /** Passes everything on this much later, in each direction. */
    public void delay(Duration delay) {
        faults.delay(delay);
    }

    /** Requests reach the server, and what the server sends is thrown away. */
    public void dropReplies() {
        faults.dropReplies();
    }

    /**
     * Once: the next request that contains the text reaches the server; when the server replies, the reply is thrown away
     * and the connection closed. For a request that was carried out without its sender's knowledge. {@link
     * #lostReplies()} tells when it has happened.
     *
     * @param text ASCII, to be found within one packet; empty for whatever comes next
     */
    public void loseReplyTo(String text) {
        faults.loseReplyTo(text);
    }

    /** How often {@link #loseReplyTo} has struck. */
    public int lostReplies() {
        return faults.lostReplies();
    }

    /** Sends connections to another server from now on, for instance one that was restarted; those of now stay. */
    public void retarget(String targetHost, int targetPort) {
        target = InetSocketAddress.createUnresolved(targetHost, targetPort);
    }

    /** Ends all faults. What was frozen is passed on now; what was thrown away stays lost, half open stays half open. */
    public synchronized void heal() {
        faults.heal();
        if (listener == null) {
            try {
                listen(port);
            } catch (IOException e) {
                throw new UncheckedIOException("can't listen on port " + port, e);
            }
        }
    }

    /** Closes everything. */
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
                LOG.debug("port {} is taken: {}", any, taken.toString());
            }
        }
        throw new IllegalStateException("no free port from " + FIRST_PORT + " to " + (FIRST_PORT + PORTS));
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
                LOG.debug("proxy of {} stops listening: {}", target, e.toString());
            }
        }
    }

    private void connect(Socket client) throws IOException {
        Socket server;
        try {
            server = new Socket(target.getHostString(), target.getPort());
        } catch (IOException e) {
            // As the client would see it without us, or nearly.
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

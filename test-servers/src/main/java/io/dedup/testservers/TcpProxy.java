package io.dedup.testservers;

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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stands between a client and a server on this machine, and breaks what a network breaks. Faults last until {@link
 * #heal()}, unless said otherwise. Thread-safe.
 */
public final class TcpProxy implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(TcpProxy.class);
    private static final Duration LIMIT = Duration.ofSeconds(5);

    private final String targetHost;
    private final int targetPort;
    private final int port;
    private final Faults faults = new Faults();
    private final Set<ProxiedConnection> connections = ConcurrentHashMap.newKeySet();
    private @Nullable ServerSocket listener;
    private @Nullable Thread acceptor;

    private TcpProxy(String targetHost, int targetPort) {
        this.targetHost = targetHost;
        this.targetPort = targetPort;
        this.port = Ports.free();
        listen();
    }

    /** Starts a proxy in front of a port of this machine. */
    public static TcpProxy to(int targetPort) {
        return to("127.0.0.1", targetPort);
    }

    /** Starts a proxy in front of a server. */
    public static TcpProxy to(String targetHost, int targetPort) {
        return new TcpProxy(targetHost, targetPort);
    }

    /** Where clients connect to. */
    public int port() {
        return port;
    }

    /** Connections that are open now. */
    public int connections() {
        return connections.size();
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

    /** Stops passing anything on, in both directions; connections stay open, new ones are taken, and nobody answers. */
    public void freeze() {
        faults.freeze();
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
     * @param text ASCII, to be found within one packet
     */
    public void loseReplyTo(String text) {
        faults.loseReplyTo(text);
    }

    /** How often {@link #loseReplyTo} has struck. */
    public int lostReplies() {
        return faults.lostReplies();
    }

    /** Ends all faults. What was frozen is passed on now; what was thrown away stays lost. */
    public synchronized void heal() {
        faults.heal();
        if (listener == null) {
            listen();
        }
    }

    /** Closes everything. */
    @Override
    public void close() {
        refuse();
        faults.heal();
        cut();
    }

    private synchronized void listen() {
        try {
            ServerSocket socket = new ServerSocket();
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            listener = socket;
            acceptor = daemon("accept", () -> accept(socket));
        } catch (IOException e) {
            throw new UncheckedIOException("can't listen on port " + port, e);
        }
    }

    private void accept(ServerSocket socket) {
        while (!socket.isClosed()) {
            try {
                connect(socket.accept());
            } catch (IOException e) {
                LOG.debug("proxy on port {} stops listening: {}", port, e.toString());
            }
        }
    }

    private void connect(Socket client) throws IOException {
        Socket server;
        try {
            server = new Socket(targetHost, targetPort);
        } catch (IOException e) {
            // As the client would see it without us, or nearly.
            client.close();
            return;
        }
        ProxiedConnection connection = new ProxiedConnection(client, server, faults, connections::remove);
        connections.add(connection);
        daemon("requests", connection::passRequests);
        daemon("replies", connection::passReplies);
    }

    private Thread daemon(String what, Runnable work) {
        Thread thread = new Thread(work, "tcp-proxy-" + port + "-" + what);
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

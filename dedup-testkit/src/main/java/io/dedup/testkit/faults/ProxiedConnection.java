package io.dedup.testkit.faults;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One connection through a {@link TcpProxy}, with a thread for each direction. Thread-safe. */
final class ProxiedConnection {

    private static final Logger log = LoggerFactory.getLogger(ProxiedConnection.class);
    private static final int BUFFER = 64 * 1024;

    private final Socket client;
    private final Socket server;
    private final ProxyFaults faults;
    private final Consumer<ProxiedConnection> onClose;
    private final LongAdder roundTrips;
    private volatile boolean asked;
    private volatile boolean doomed;
    private volatile boolean halfOpen;

    ProxiedConnection(
            Socket client,
            Socket server,
            ProxyFaults faults,
            LongAdder roundTrips,
            Consumer<ProxiedConnection> onClose) {
        this.client = client;
        this.server = server;
        this.faults = faults;
        this.roundTrips = roundTrips;
        this.onClose = onClose;
    }

    void passRequests() {
        pump(client, server, (buffer, length) -> {
            asked = true;
            if (faults.dooms(buffer, length)) {
                doomed = true;
            }
            return !halfOpen;
        });
    }

    void passReplies() {
        pump(server, client, (buffer, length) -> {
            if (asked) {
                asked = false;
                roundTrips.increment();
            }
            if (doomed) {
                faults.replyLost();
                close();
            }
            return !doomed && !halfOpen && !faults.dropsReplies();
        });
    }

    /** The server sees the connection closed; the client doesn't, and what it sends is discarded. */
    void halfOpen() {
        halfOpen = true;
        close(server);
    }

    void close() {
        onClose.accept(this);
        close(client);
        close(server);
    }

    /** Decides about one packet. */
    @FunctionalInterface
    private interface Gate {
        boolean lets(byte[] buffer, int length);
    }

    private void pump(Socket from, Socket to, Gate gate) {
        byte[] buffer = new byte[BUFFER];
        try {
            from.setTcpNoDelay(true);
            to.setTcpNoDelay(true);
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            int length;
            while ((length = in.read(buffer)) >= 0) {
                faults.pass();
                if (gate.lets(buffer, length)) {
                    write(out, buffer, length);
                }
            }
        } catch (IOException e) {
            log.debug("A proxied connection has ended: {}", e.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            if (from == client || !halfOpen) {
                close();
            }
        }
    }

    private void write(OutputStream out, byte[] buffer, int length) throws IOException {
        try {
            out.write(buffer, 0, length);
        } catch (IOException e) {
            // If half open, the data was on its way when the server's side was closed, which the sender must not
            // notice.
            if (!halfOpen) {
                throw e;
            }
        }
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            log.debug("Cannot close a socket: {}", e.toString());
        }
    }
}

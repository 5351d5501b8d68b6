package io.dedup.ledger.run;

import io.dedup.ledger.plan.Contender;
import io.dedup.ledger.tally.Effect;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Counts effects outside of the consumers, in the order in which they happen. Thread-safe. */
public final class EffectCounter implements AutoCloseable {
    private final ServerSocket server;
    private final Map<String, List<Effect>> byRow = new ConcurrentHashMap<>();

    public EffectCounter() {
        try {
            server = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        daemon(this::accept);
    }

    /** Where it listens, on this machine. */
    public int port() {
        return server.getLocalPort();
    }

    /** So far. */
    public List<Effect> of(Contender row) {
        List<Effect> effects = byRow.getOrDefault(row.id(), List.of());
        synchronized (effects) {
            return List.copyOf(effects);
        }
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket socket = server.accept();
                daemon(() -> take(socket));
            } catch (IOException e) {
                return; // closed
            }
        }
    }

    private void take(Socket socket) {
        try (socket) {
            DataInputStream in = new DataInputStream(socket.getInputStream());
            while (true) {
                String row = in.readUTF();
                String id = in.readUTF();
                int attempt = in.readInt();
                add(row, new Effect(id, attempt, System.currentTimeMillis()));
                socket.getOutputStream().write(1);
            }
        } catch (IOException e) {
            // a process that ended, or was killed
        }
    }

    private void add(String row, Effect effect) {
        List<Effect> effects = byRow.computeIfAbsent(row, any -> new ArrayList<>());
        synchronized (effects) {
            effects.add(effect);
        }
    }

    private static void daemon(Runnable work) {
        Thread thread = new Thread(work, "effects");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

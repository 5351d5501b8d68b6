package io.dedup.ledger.consumer;

import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import org.jspecify.annotations.Nullable;

/** Reports what happened to a row's message to the process that counts. Thread-safe. */
public final class CountingClient {
    private final int port;
    private final String row;
    private @Nullable Socket socket;

    /** @param port where the counter listens, on this machine */
    public CountingClient(int port, String row) {
        this.port = port;
        this.row = row;
    }

    /** Returns when it is counted. */
    public synchronized void count(String id, int attempt) {
        try {
            Socket open = socket == null ? new Socket(InetAddress.getLoopbackAddress(), port) : socket;
            socket = open;
            DataOutputStream out = new DataOutputStream(new BufferedOutputStream(open.getOutputStream()));
            out.writeUTF(row);
            out.writeUTF(id);
            out.writeInt(attempt);
            out.flush();
            if (new DataInputStream(open.getInputStream()).read() < 0) {
                throw new EOFException();
            }
        } catch (IOException e) {
            socket = null;
            throw new UncheckedIOException(e);
        }
    }
}

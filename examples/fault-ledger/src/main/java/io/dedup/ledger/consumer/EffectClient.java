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

/** Calls the process that counts effects. Thread-safe. */
final class EffectClient {
    private final int port;
    private @Nullable Socket socket;

    EffectClient(int port) {
        this.port = port;
    }

    /** Returns when the effect is counted. */
    synchronized void call(String row, String id, int attempt) {
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

package io.dedup.benchmarks.network;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;

/** One direction of a connection: one thread reads, another writes when each piece is due. */
final class LinkDirection {
    private static final int BUFFER = 64 * 1024;
    private static final Piece END = new Piece(new byte[0], 0);

    private final BlockingQueue<Piece> pieces = new LinkedBlockingQueue<>();
    private final Socket from;
    private final Socket to;
    private final long delayNanos;

    LinkDirection(Socket from, Socket to, long delayNanos) {
        this.from = from;
        this.to = to;
        this.delayNanos = delayNanos;
    }

    /** Nothing to send marks the end of the stream. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Piece(byte[] bytes, long due) {
        boolean isEnd() {
            return bytes.length == 0;
        }
    }

    void read() {
        byte[] buffer = new byte[BUFFER];
        try {
            InputStream in = from.getInputStream();
            int length;
            while ((length = in.read(buffer)) >= 0) {
                pieces.add(new Piece(Arrays.copyOf(buffer, length), System.nanoTime() + delayNanos));
            }
        } catch (IOException e) {
            // The other end is gone, which the end of the stream would say as well.
        }
        pieces.add(END);
    }

    void write() {
        try {
            OutputStream out = to.getOutputStream();
            for (Piece piece = pieces.take(); !piece.isEnd(); piece = pieces.take()) {
                for (long left; (left = piece.due() - System.nanoTime()) > 0; ) {
                    LockSupport.parkNanos(left);
                }
                out.write(piece.bytes());
            }
            to.shutdownOutput();
        } catch (IOException e) {
            close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends the reader, too. */
    private void close() {
        try {
            from.close();
            to.close();
        } catch (IOException e) {
            // Closed is all that they should be.
        }
    }
}

package io.dedup.benchmarks.redis;

import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.IntFunction;

/** Writes millions of keys in seconds: {@code SET}s in a row, their answers read in a row. */
final class RedisFiller {
    private static final int PIPELINE = 2_000;
    private static final byte[] OK = ascii("+OK\r\n");

    private final String host;
    private final int port;

    RedisFiller(String host, int port) {
        this.host = host;
        this.port = port;
    }

    void fill(int size, IntFunction<byte[]> key, byte[] value, long timeToLiveMillis) {
        byte[] head = ascii("*5\r\n$3\r\nSET\r\n");
        byte[] ttl = ascii(Long.toString(timeToLiveMillis));
        try (Socket socket = new Socket(host, port);
                BufferedOutputStream out = new BufferedOutputStream(socket.getOutputStream(), 1 << 16);
                DataInputStream in = new DataInputStream(socket.getInputStream())) {
            for (int from = 0; from < size; from += PIPELINE) {
                int to = Math.min(size, from + PIPELINE);
                for (int i = from; i < to; i++) {
                    out.write(head);
                    bulk(out, key.apply(i));
                    bulk(out, value);
                    bulk(out, ascii("PX"));
                    bulk(out, ttl);
                }
                out.flush();
                readAnswers(in, to - from);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void bulk(BufferedOutputStream out, byte[] value) throws IOException {
        out.write(ascii("$" + value.length + "\r\n"));
        out.write(value);
        out.write('\r');
        out.write('\n');
    }

    private static void readAnswers(DataInputStream in, int count) throws IOException {
        byte[] answers = new byte[count * OK.length];
        in.readFully(answers);
        for (int i = 0; i < answers.length; i += OK.length) {
            if (!Arrays.equals(answers, i, i + OK.length, OK, 0, OK.length)) {
                throw new IOException("Redis refuses a SET: "
                        + new String(answers, i, answers.length - i, StandardCharsets.US_ASCII));
            }
        }
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}

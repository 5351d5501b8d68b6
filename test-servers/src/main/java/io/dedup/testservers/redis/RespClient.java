package io.dedup.testservers.redis;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The small part of Redis's protocol that is needed to set up a server, so that nothing here depends on the client under
 * test. Not thread-safe.
 */
public final class RespClient implements AutoCloseable {

    private static final int TIMEOUT_MILLIS = 60_000;

    private final Socket socket;
    private final InputStream in;

    private RespClient(Socket socket, InputStream in) {
        this.socket = socket;
        this.in = in;
    }

    public static RespClient connect(String host, int port, @Nullable String password) throws IOException {
        Socket socket = new Socket();
        try {
            socket.connect(new InetSocketAddress(host, port), TIMEOUT_MILLIS);
            socket.setSoTimeout(TIMEOUT_MILLIS);
            RespClient client = new RespClient(socket, new BufferedInputStream(socket.getInputStream()));
            if (password != null) {
                client.call("AUTH", password);
            }
            return client;
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /** The reply as text; the elements of an array are joined with line feeds, nil is the empty text. */
    public String call(String... command) throws IOException {
        StringBuilder request = new StringBuilder("*" + command.length + "\r\n");
        for (String part : command) {
            int bytes = part.getBytes(StandardCharsets.UTF_8).length;
            request.append('$').append(bytes).append("\r\n").append(part).append("\r\n");
        }
        socket.getOutputStream().write(request.toString().getBytes(StandardCharsets.UTF_8));
        return reply();
    }

    private String reply() throws IOException {
        int type = in.read();
        String line = line();
        return switch (type) {
            case '+', ':' -> line;
            case '-' -> throw new IOException("Redis says " + line);
            case '$' -> bulk(Integer.parseInt(line));
            case '*' -> array(Integer.parseInt(line));
            case -1 -> throw new EOFException("Redis closed the connection");
            default -> throw new IOException("not a reply of Redis: " + (char) type + line);
        };
    }

    private String bulk(int length) throws IOException {
        if (length < 0) {
            return "";
        }
        String text = new String(in.readNBytes(length), StandardCharsets.UTF_8);
        line();
        return text;
    }

    private String array(int length) throws IOException {
        List<String> elements = new ArrayList<>();
        for (int i = 0; i < length; i++) {
            elements.add(reply());
        }
        return String.join("\n", elements);
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        int c;
        while ((c = in.read()) != '\r') {
            if (c < 0) {
                throw new EOFException("Redis closed the connection");
            }
            line.append((char) c);
        }
        if (in.read() != '\n') {
            throw new IOException("not a reply of Redis");
        }
        return line.toString();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}

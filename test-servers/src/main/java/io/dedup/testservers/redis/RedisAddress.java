package io.dedup.testservers.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where a Redis server listens.
 *
 * @param password null where none is required
 */
public record RedisAddress(String host, int port, @Nullable String password) {

    private static final int DEFAULT_PORT = 6379;

    /** From {@code redis://[[user]:password@]host[:port]}. */
    static RedisAddress parse(String text) {
        URI uri = URI.create(text);
        if (!"redis".equals(uri.getScheme()) || uri.getHost() == null) {
            throw new IllegalArgumentException("dedup.test.redis must be redis://[:password@]host[:port], is " + text);
        }
        String password = Optional.ofNullable(uri.getUserInfo())
                .map(info -> info.substring(info.indexOf(':') + 1))
                .orElse(null);
        return new RedisAddress(uri.getHost(), uri.getPort() < 0 ? DEFAULT_PORT : uri.getPort(), password);
    }

    /** {@code redis://[:password@]host:port}, as Lettuce reads it. */
    public String uri() {
        return "redis://" + (password == null ? "" : ":" + password + "@") + host + ":" + port;
    }

    /**
     * Sends one command on a connection of its own.
     *
     * @return the reply as text; the elements of an array on a line each, nil as the empty text
     * @throws UncheckedIOException when the server doesn't answer within 5 s, or answers with an error
     */
    public String command(String... command) {
        try (RespClient client = RespClient.connect(host, port, password)) {
            return client.call(command);
        } catch (IOException e) {
            throw new UncheckedIOException(host + ":" + port + " " + command[0], e);
        }
    }
}

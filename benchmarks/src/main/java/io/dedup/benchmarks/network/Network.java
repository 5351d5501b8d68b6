package io.dedup.benchmarks.network;

import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * How far the stores are away.
 *
 * @param roundTrip added to what the loopback network takes; zero for a store on the same machine
 */
public record Network(Duration roundTrip) {
    public static final Network LOOPBACK = new Network(Duration.ZERO);

    /**
     * The way to one server.
     *
     * @param port to connect to
     * @param link to be closed with the server; none on the loopback network
     */
    public record Route(int port, @Nullable Link link) implements AutoCloseable {
        @Override
        public void close() {
            if (link != null) {
                link.close();
            }
        }
    }

    public Route to(int port) {
        if (isLoopback()) {
            return new Route(port, null);
        }
        Link link = Link.to(port, roundTrip);
        return new Route(link.port(), link);
    }

    public boolean isLoopback() {
        return roundTrip.isZero();
    }

    /** The distance alone, as tables have it. */
    public String label() {
        return isLoopback() ? "none" : String.format(Locale.ROOT, "%.1f ms", roundTrip.toNanos() / 1e6);
    }

    /** A {@link #name} without the distance. */
    public String plain(String name) {
        return name.replace(name(""), "");
    }

    /** A store's name with its distance, as tables have it. */
    public String name(String store) {
        return isLoopback() ? store : String.format(Locale.ROOT, "%s, %.1f ms away", store, roundTrip.toNanos() / 1e6);
    }
}

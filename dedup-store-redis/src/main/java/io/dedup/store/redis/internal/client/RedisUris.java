package io.dedup.store.redis.internal.client;

import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

/** Shows URIs without credentials, and limits their timeouts. */
final class RedisUris {
    private RedisUris() {}

    /** Hosts and ports, of sentinels with the name of their master. */
    static String where(List<RedisURI> uris) {
        return uris.stream().map(RedisUris::where).collect(Collectors.joining(","));
    }

    private static String where(RedisURI uri) {
        if (!uri.getSentinels().isEmpty()) {
            return uri.getSentinelMasterId() + " of sentinels " + where(uri.getSentinels());
        }
        return uri.getSocket() != null ? uri.getSocket() : uri.getHost() + ":" + uri.getPort();
    }

    /**
     * A copy with this timeout for connecting and for asking a sentinel: the driver's default of a minute is longer
     * than most leases.
     */
    static RedisURI withTimeout(RedisURI uri, Duration timeout) {
        RedisURI copy = new RedisURI();
        copy.setHost(uri.getHost());
        copy.setPort(uri.getPort());
        copy.setSocket(uri.getSocket());
        copy.setDatabase(uri.getDatabase());
        copy.setClientName(uri.getClientName());
        copy.setLibraryName(uri.getLibraryName()); // not the DriverInfo, which Lettuce 6 lacks
        copy.setLibraryVersion(uri.getLibraryVersion());
        copy.applySsl(uri);
        copy.applyAuthentication(uri);
        copy.setTimeout(timeout);
        copy.setSentinelMasterId(uri.getSentinelMasterId());
        for (RedisURI sentinel : uri.getSentinels()) {
            copy.getSentinels().add(withTimeout(sentinel, timeout));
        }
        return copy;
    }
}

package io.dedup.store.redis.internal.server;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a server reports about itself in {@code INFO}.
 *
 * @param version as major × 100 + minor; 0 if not reported
 * @param isReplica whether it is a replica
 * @param isOfCluster whether it rejects commands with keys of several slots
 * @param evictionPolicy null if not reported
 */
public record ServerFacts(
        int version,
        boolean isReplica,
        boolean isOfCluster,
        @Nullable String evictionPolicy) {
    public static final int V6_2 = 602;
    public static final int V7_0 = 700;
    public static final String NO_EVICTION = "noeviction";

    public static ServerFacts parse(String info) {
        Map<String, String> fields = fields(info);
        return new ServerFacts(
                version(fields.get("redis_version")),
                "slave".equals(fields.get("role")),
                "cluster".equals(fields.get("redis_mode")) || "1".equals(fields.get("cluster_enabled")),
                fields.get("maxmemory_policy"));
    }

    static Map<String, String> fields(String info) {
        Map<String, String> fields = new HashMap<>();
        for (String line : info.split("\r?\n")) {
            int colon = line.indexOf(':');
            if (colon > 0) {
                fields.put(line.substring(0, colon), line.substring(colon + 1));
            }
        }
        return fields;
    }

    private static int version(@Nullable String text) {
        if (text == null || !text.matches("\\d{1,4}\\.\\d{1,2}(\\..*)?")) {
            return 0;
        }
        String[] parts = text.split("\\.");
        return Integer.parseInt(parts[0]) * 100 + Integer.parseInt(parts[1]);
    }

    /** The lowest version of several servers. */
    public static int lowestVersion(List<ServerFacts> servers) {
        return servers.stream().mapToInt(ServerFacts::version).min().orElse(0);
    }
}

package io.dedup.store.redis.internal.server;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What a server reports about itself and its replicas in {@code INFO}.
 *
 * @param isMaster whether it is a master
 * @param runId changes with each start of a server; empty if not reported
 * @param offset the position of its replication stream
 * @param replicaOffsets the position that each connected replica has confirmed; -1 during its initial synchronization
 */
public record MasterFacts(boolean isMaster, String runId, long offset, List<Long> replicaOffsets) {
    static MasterFacts parse(String info) {
        Map<String, String> fields = ServerFacts.fields(info);
        List<Long> replicas = new ArrayList<>();
        fields.forEach((name, value) -> {
            if (name.matches("slave\\d+")) {
                replicas.add(confirmed(value));
            }
        });
        return new MasterFacts(
                "master".equals(fields.get("role")),
                fields.getOrDefault("run_id", ""),
                number(fields.getOrDefault("master_repl_offset", "0")),
                replicas);
    }

    /** From {@code ip=10.0.0.2,port=6379,state=online,offset=1234,lag=0}. */
    private static long confirmed(String replica) {
        String all = "," + replica + ",";
        int offset = all.indexOf(",offset=");
        if (!all.contains(",state=online,") || offset < 0) {
            return -1;
        }
        int from = offset + ",offset=".length();
        return number(all.substring(from, all.indexOf(',', from)));
    }

    private static long number(String text) {
        return text.matches("\\d{1,18}") ? Long.parseLong(text) : -1;
    }

    /** How many replicas have everything up to an offset. */
    public int replicasAt(long wanted) {
        return (int) replicaOffsets.stream().filter(offset -> offset >= wanted).count();
    }
}

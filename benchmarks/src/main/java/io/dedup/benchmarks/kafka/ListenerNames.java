package io.dedup.benchmarks.kafka;

import java.util.List;

/** Names of listeners, in the order of the tables. */
public final class ListenerNames {
    public static final String NO_DEDUP = "no dedup";
    public static final String NO_DEDUP_BATCH = "no dedup, batch listener";
    public static final String BY_HAND = "by hand, record by record";
    public static final String BY_HAND_BATCH = "by hand, batch listener";
    public static final String SINGLE = "dedup, record by record";
    public static final String AHEAD = "dedup, a poll ahead";
    public static final String POLL = "dedup, a poll in a transaction";
    public static final String BATCH = "dedup, batch listener";
    public static final String CAMEL = "Camel";
    public static final String INTEGRATION = "Spring Integration";

    /** With the effect anywhere. */
    public static final List<String> LEASED =
            List.of(NO_DEDUP, BY_HAND, BY_HAND_BATCH, SINGLE, AHEAD, BATCH, CAMEL, INTEGRATION);

    /** With the effect in the transaction that deduplicates. */
    public static final List<String> TRANSACTIONAL =
            List.of(NO_DEDUP, NO_DEDUP_BATCH, BY_HAND, BY_HAND_BATCH, SINGLE, POLL, BATCH, CAMEL, INTEGRATION);

    private ListenerNames() {}

    /** Whether the listener is dedup's. */
    public static boolean isOurs(String name) {
        return name.startsWith("dedup");
    }
}

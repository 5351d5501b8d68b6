package io.dedup.internal.settings;

import io.dedup.DedupScope;
import io.dedup.DedupTopic;
import io.dedup.policy.DedupMode;
import io.dedup.policy.DedupPolicy;
import io.dedup.privacy.IdHashing;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The policies of a consumer, topic by topic. Thread-safe. */
public final class DedupTopics {
    /**
     * Beyond this number, topics without a policy of their own are created anew each time: names that come from messages must not fill
     * the memory.
     */
    private static final int MAX_RESOLVED = 10_000;

    private final String consumer;
    private final DedupPolicy defaults;
    private final Map<String, DedupPolicy> policies;
    private final @Nullable IdHashing hashing;
    private final ConcurrentHashMap<String, DedupTopic> resolved = new ConcurrentHashMap<>();

    public DedupTopics(String consumer, DedupPolicy defaults, Map<String, DedupPolicy> policies) {
        this(consumer, defaults, policies, null);
    }

    /** @param hashing hashes message IDs; null to keep them as they are */
    public DedupTopics(
            String consumer, DedupPolicy defaults, Map<String, DedupPolicy> policies, @Nullable IdHashing hashing) {
        this.consumer = consumer;
        this.defaults = defaults;
        this.policies = Map.copyOf(policies);
        this.hashing = hashing;
        DedupTopic unused = make("any"); // rejects an invalid consumer name now instead of with the first message
        for (String name : policies.keySet()) {
            unused = make(name); // kept from its first use on: each of many consumers may be given all topics
        }
    }

    public String consumer() {
        return consumer;
    }

    public DedupTopic topic(String name) {
        DedupTopic known = resolved.get(name);
        if (known != null) {
            return known;
        }
        boolean isKept = resolved.size() < MAX_RESOLVED || policies.containsKey(name);
        return isKept ? resolved.computeIfAbsent(name, this::make) : make(name);
    }

    /** The topic of a scope, which need not be the scope of the topic's ordinary listener. */
    public DedupTopic topic(DedupScope scope) {
        DedupTopic known = resolved.get(scope.topic());
        return known != null && known.scope().equals(scope) ? known : new DedupTopic(scope, policy(scope.topic()));
    }

    private DedupTopic make(String name) {
        DedupScope scope = DedupScope.of(consumer, name);
        return new DedupTopic(hashing == null ? scope : scope.hashingIds(hashing), policy(name));
    }

    /** Hashes message IDs; null if they are kept as they are. */
    public @Nullable IdHashing hashing() {
        return hashing;
    }

    public boolean anyIn(DedupMode mode) {
        return defaults.mode() == mode || policies.values().stream().anyMatch(policy -> policy.mode() == mode);
    }

    public DedupPolicy defaults() {
        return defaults;
    }

    public DedupPolicy policy(String topic) {
        return policies.getOrDefault(topic, defaults);
    }
}

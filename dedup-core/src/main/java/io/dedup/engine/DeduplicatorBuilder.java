package io.dedup.engine;

import io.dedup.DedupListener;
import io.dedup.Deduplicator;
import io.dedup.RunReference;
import io.dedup.internal.direct.DefaultDeduplicator;
import io.dedup.internal.engine.EngineSettings;
import io.dedup.internal.listener.DuplicateLog;
import io.dedup.internal.listener.TroubleLog;
import io.dedup.internal.settings.DedupTopics;
import io.dedup.internal.settings.StoreRules;
import io.dedup.policy.DedupPolicy;
import io.dedup.store.DedupStore;
import io.dedup.store.transaction.TransactionalRecords;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Builds a {@link Deduplicator}. Not thread-safe. */
public final class DeduplicatorBuilder {
    private static final Logger log = LoggerFactory.getLogger(Deduplicator.class);
    private static final Duration MAX_SHUTDOWN_TIMEOUT = Duration.ofHours(1);

    private final DedupStore store;
    private final Map<String, UnaryOperator<DedupPolicy.Builder>> topics = new HashMap<>();
    private final List<DedupListener> listeners = new ArrayList<>();
    private @Nullable TransactionalRecords transactions;
    private @Nullable String consumer;
    private @Nullable RunReference runReference;
    private @Nullable String instance;
    private DedupPolicy defaults = DedupPolicy.defaults();
    private Duration shutdownTimeout = Duration.ofSeconds(30);

    DeduplicatorBuilder(DedupStore store) {
        this.store = Objects.requireNonNull(store, "store");
    }

    /** Required: the consumer name, usually the consumer group. Changing it forgets all windows. */
    public DeduplicatorBuilder consumer(String name) {
        this.consumer = Objects.requireNonNull(name, "consumer");
        return this;
    }

    /**
     * What this process is called in the records of its claims, so that an operator sees who has a message: a host, a pod, a
     * process. Characters other than ASCII letters, digits and {@code . _ : @ -} become {@code _}; of more than 32 characters
     * both ends are kept. Means nothing to the protocol: two instances may have one name. None by default.
     *
     * @param name not blank
     */
    public DeduplicatorBuilder instance(String name) {
        if (name.isBlank()) {
            throw new IllegalArgumentException("instance must not be blank; leave it out for none");
        }
        this.instance = name;
        return this;
    }

    /** The policy of topics without one of their own; {@link DedupPolicy#defaults()} unless set. */
    public DeduplicatorBuilder defaults(DedupPolicy policy) {
        this.defaults = Objects.requireNonNull(policy, "defaults");
        return this;
    }

    /** What is different for a topic, on top of the defaults whenever those are set. */
    public DeduplicatorBuilder topic(String name, UnaryOperator<DedupPolicy.Builder> changes) {
        if (topics.putIfAbsent(name, changes) != null) {
            throw new IllegalArgumentException("topic " + name + " is configured twice");
        }
        return this;
    }

    /**
     * Needed for the transactional modes: opens the transactions that handlers run in, and keeps their records. The store
     * has to be the same table in mode LEASED_TRANSACTIONAL, and another store, in front of it, in mode TIERED.
     */
    public DeduplicatorBuilder transactions(TransactionalRecords records) {
        this.transactions = Objects.requireNonNull(records, "transactions");
        return this;
    }

    /** A listener to be told what happens; any number of them. */
    public DeduplicatorBuilder listener(DedupListener listener) {
        listeners.add(Objects.requireNonNull(listener, "listener"));
        return this;
    }

    /**
     * What a duplicate is told of the run that has handled its message; nothing by default. Kept with the record, beside the
     * result: at most {@value RunReference#MAX_CHARS} + 3 bytes, on top of {@code maxResultBytes}. In the modes
     * {@link io.dedup.policy.DedupMode#TRANSACTIONAL} and {@link io.dedup.policy.DedupMode#TIERED} it takes one more statement for each message.
     */
    public DeduplicatorBuilder runReference(RunReference reference) {
        this.runReference = Objects.requireNonNull(reference, "runReference");
        return this;
    }

    /** How long {@link Deduplicator#close} waits for running handlers: zero to 1 h, 30 s by default. */
    public DeduplicatorBuilder shutdownTimeout(Duration value) {
        if (value.isNegative() || value.compareTo(MAX_SHUTDOWN_TIMEOUT) > 0) {
            throw new IllegalArgumentException(
                    "shutdownTimeout must be from 0 to " + MAX_SHUTDOWN_TIMEOUT + ", but is " + value);
        }
        this.shutdownTimeout = value;
        return this;
    }

    /**
     * The deduplicator, with its heartbeat running.
     *
     * @throws IllegalArgumentException when a setting is missing or wrong; names it
     */
    public Deduplicator build() {
        Map<String, DedupPolicy> policies = policies();
        StoreRules rules = new StoreRules(store, transactions);
        rules.check("defaults", defaults);
        policies.forEach((name, policy) -> rules.check("topic " + name, policy));
        if (consumer == null) {
            throw new IllegalArgumentException(
                    "consumer must be set: it is part of what makes an ID unique; the consumer group is a good choice");
        }
        DedupTopics all = new DedupTopics(consumer, defaults, policies);
        return new DefaultDeduplicator(
                all,
                new EngineSettings(
                        store,
                        transactions,
                        instance,
                        listeners(all),
                        runReference,
                        shortestLease(policies),
                        shutdownTimeout));
    }

    private Map<String, DedupPolicy> policies() {
        Map<String, DedupPolicy> policies = new HashMap<>();
        topics.forEach((name, changes) -> {
            try {
                policies.put(name, changes.apply(defaults.toBuilder()).build());
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("topic " + name + ": " + e.getMessage(), e);
            }
        });
        return policies;
    }

    /** Those that were given, and the logs. */
    private List<DedupListener> listeners(DedupTopics ofConsumer) {
        List<DedupListener> all = new ArrayList<>(listeners);
        all.add(new TroubleLog(ofConsumer, store.name(), System::nanoTime, log::warn));
        all.add(new DuplicateLog(log));
        return all;
    }

    private Duration shortestLease(Map<String, DedupPolicy> policies) {
        return Stream.concat(Stream.of(defaults), policies.values().stream())
                .map(DedupPolicy::lease)
                .min(Duration::compareTo)
                .orElseThrow();
    }
}

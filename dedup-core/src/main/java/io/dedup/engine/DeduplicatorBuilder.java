package io.dedup.engine;

import io.dedup.DedupContexts;
import io.dedup.DedupListener;
import io.dedup.Deduplicator;
import io.dedup.RunReference;
import io.dedup.internal.direct.DefaultDeduplicator;
import io.dedup.internal.engine.EngineSettings;
import io.dedup.internal.listener.DuplicateLog;
import io.dedup.internal.listener.ResendLog;
import io.dedup.internal.listener.TroubleLog;
import io.dedup.internal.run.ThreadContexts;
import io.dedup.internal.settings.DedupTopics;
import io.dedup.internal.settings.HashingGuard;
import io.dedup.internal.settings.StoreRules;
import io.dedup.internal.thread.EngineThreads;
import io.dedup.policy.DedupPolicy;
import io.dedup.privacy.IdHashing;
import io.dedup.privacy.ResultEncryption;
import io.dedup.step.StepCodec;
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
    private @Nullable IdHashing idHashing;
    private @Nullable ResultEncryption resultEncryption;
    private @Nullable StepCodec stepCodec;
    private @Nullable ThreadContexts contexts;
    private @Nullable EngineThreads threads;
    private DedupPolicy defaults = DedupPolicy.defaults();
    private boolean sharedCalls;
    private Duration shutdownTimeout = Duration.ofSeconds(30);

    DeduplicatorBuilder(DedupStore store) {
        this.store = Objects.requireNonNull(store, "store");
    }

    /** Sets the consumer name, usually the consumer group. Required. Changing it forgets all windows. */
    public DeduplicatorBuilder consumer(String name) {
        this.consumer = Objects.requireNonNull(name, "consumer");
        return this;
    }

    /**
     * Sets a name for this process, such as a host or pod name, which is stored with its claims so that operators see
     * which process holds a message. Characters other than ASCII letters, digits and {@code . _ : @ -} become
     * {@code _}; a name of more than 32 characters is shortened in the middle. It has no meaning for the protocol, so
     * two instances may have the same name. None by default.
     *
     * @param name not blank
     */
    public DeduplicatorBuilder instance(String name) {
        if (name.isBlank()) {
            throw new IllegalArgumentException("instance must not be blank; omit it to record no instance name");
        }
        this.instance = name;
        return this;
    }

    /** Sets the policy of topics without their own; {@link DedupPolicy#defaults()} if not set. */
    public DeduplicatorBuilder defaults(DedupPolicy policy) {
        this.defaults = Objects.requireNonNull(policy, "defaults");
        return this;
    }

    /**
     * Configures a topic: applies changes to the default policy, whether {@link #defaults} is called before or after
     * this.
     *
     * @throws IllegalArgumentException if the topic is configured twice
     */
    public DeduplicatorBuilder topic(String name, UnaryOperator<DedupPolicy.Builder> changes) {
        if (topics.putIfAbsent(name, changes) != null) {
            throw new IllegalArgumentException("topic " + name + " is configured twice");
        }
        return this;
    }

    /**
     * Sets what opens the transactions that handlers run in, and keeps their records. Required for the transactional
     * modes. In mode LEASED_TRANSACTIONAL the store must use the same table; in mode TIERED it must be another store,
     * in front of that table.
     */
    public DeduplicatorBuilder transactions(TransactionalRecords records) {
        this.transactions = Objects.requireNonNull(records, "transactions");
        return this;
    }

    /** Adds a listener for events; call it once for each listener. */
    public DeduplicatorBuilder listener(DedupListener listener) {
        listeners.add(Objects.requireNonNull(listener, "listener"));
        return this;
    }

    /**
     * Sets what identifies a run to its later duplicates, such as a trace ID; nothing by default. Stored with the
     * record, beside the result: at most {@value RunReference#MAX_CHARS} + 3 bytes, in addition to
     * {@code maxResultBytes}. In the modes {@link io.dedup.policy.DedupMode#TRANSACTIONAL} and
     * {@link io.dedup.policy.DedupMode#TIERED} it takes one more statement per message.
     */
    public DeduplicatorBuilder runReference(RunReference reference) {
        this.runReference = Objects.requireNonNull(reference, "runReference");
        return this;
    }

    /**
     * Hashes all message IDs; they are kept as they are by default. Switching this on forgets all windows of this
     * consumer. Handlers, logs, listeners and operators see the hash as well. Dead-letter handlers are the exception:
     * their IDs are positions in a topic.
     *
     * <p>{@link #build} then calls the store, and keeps a record there for ever that shows whether a deduplicator of the
     * same consumer has the same key.
     */
    public DeduplicatorBuilder idHashing(IdHashing hashing) {
        this.idHashing = Objects.requireNonNull(hashing, "idHashing");
        return this;
    }

    /** Encrypts the results of handlers and of their steps before they are stored; they are stored as they are by default. */
    public DeduplicatorBuilder resultEncryption(ResultEncryption encryption) {
        this.resultEncryption = Objects.requireNonNull(encryption, "resultEncryption");
        return this;
    }

    /**
     * Sets what encodes the results of steps, for example as JSON; by default only text, numbers, booleans, enums, {@code UUID},
     * {@code Instant} and {@code byte[]} can be results. See {@link io.dedup.DedupContext#step}.
     */
    public DeduplicatorBuilder stepCodec(StepCodec codec) {
        this.stepCodec = Objects.requireNonNull(codec, "stepCodec");
        return this;
    }

    /**
     * Sets where code that handlers call finds their contexts; without it, contexts are only passed to handlers. Several
     * deduplicators may share one.
     *
     * @param shared made by {@link Deduplicators#contexts()}
     */
    public DeduplicatorBuilder contexts(DedupContexts shared) {
        if (!(shared instanceof ThreadContexts known)) {
            throw new IllegalArgumentException("contexts must be made by Deduplicators.contexts(), but are "
                    + shared.getClass().getName());
        }
        this.contexts = known;
        return this;
    }

    /**
     * Shares the threads of another deduplicator of this process; without it, the deduplicator has its own. Those who share have
     * one thread together that looks which leases are to be renewed and whether writes are left to repeat, and others while there is
     * such work: a store that hangs keeps nobody else waiting. The threads end when the last of them is closed.
     */
    public DeduplicatorBuilder threadsOf(Deduplicator other) {
        if (!(other instanceof DefaultDeduplicator known)) {
            throw new IllegalArgumentException(
                    "threadsOf needs a deduplicator that Deduplicators.builder has made, but was given a "
                            + other.getClass().getName());
        }
        this.threads = known.threads();
        return this;
    }

    /**
     * Lets threads share calls of the store while more than 20 call it at once; by default each makes its own. What requests a claim
     * or a completion while four calls are under way goes with the next one. For listeners with 30 threads or more that handle message
     * by message, and PostgreSQL at some distance, where it saves half of the processor time. Redis gains nothing, because its client
     * sends the requests of all threads on one connection anyway.
     *
     * <p>Every thread gets what a call of its own would have got, and waits at most 0.1 s for others before it makes one. But a call
     * that meets a locked row takes longer for all who share it; and what the driver sees of its thread, such as contexts of logging
     * and tracing, is that of one of them.
     */
    public DeduplicatorBuilder sharedStoreCalls(boolean shared) {
        this.sharedCalls = shared;
        return this;
    }

    /** Sets how long {@link Deduplicator#close} waits for running handlers: zero to 1 h, 30 s by default. */
    public DeduplicatorBuilder shutdownTimeout(Duration value) {
        if (value.isNegative() || value.compareTo(MAX_SHUTDOWN_TIMEOUT) > 0) {
            throw new IllegalArgumentException(
                    "shutdownTimeout must be from 0 to " + MAX_SHUTDOWN_TIMEOUT + ", but is " + value);
        }
        this.shutdownTimeout = value;
        return this;
    }

    /**
     * Creates the deduplicator and starts its heartbeat.
     *
     * @throws IllegalArgumentException if a setting is missing or wrong; the message names it
     * @throws io.dedup.privacy.OtherHashKeyException if the IDs of this consumer are hashed with another key
     * @throws io.dedup.DedupStoreException if IDs are hashed and the store does not answer
     */
    public Deduplicator build() {
        Map<String, DedupPolicy> policies = policies();
        StoreRules rules = new StoreRules(store, transactions);
        rules.check("defaults", defaults);
        policies.forEach((name, policy) -> rules.check("topic " + name, policy));
        if (consumer == null) {
            throw new IllegalArgumentException(
                    "consumer must be set, usually to the name of the consumer group: message IDs are unique per consumer"
                            + " and topic");
        }
        DedupTopics all = new DedupTopics(consumer, defaults, policies, idHashing);
        if (idHashing != null) {
            new HashingGuard(store, transactions).check(consumer, idHashing);
        }
        return new DefaultDeduplicator(
                all,
                new EngineSettings(
                        store,
                        sharedCalls,
                        transactions,
                        instance,
                        listeners(all),
                        runReference,
                        resultEncryption,
                        stepCodec,
                        contexts,
                        threads == null ? new EngineThreads() : threads,
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

    /** The configured listeners and those that log. */
    private List<DedupListener> listeners(DedupTopics ofConsumer) {
        List<DedupListener> all = new ArrayList<>(listeners);
        all.add(new TroubleLog(ofConsumer, store.name(), System::nanoTime, log::warn));
        all.add(new DuplicateLog(log));
        all.add(new ResendLog(log, System::nanoTime));
        return all;
    }

    private Duration shortestLease(Map<String, DedupPolicy> policies) {
        return Stream.concat(Stream.of(defaults), policies.values().stream())
                .map(DedupPolicy::lease)
                .min(Duration::compareTo)
                .orElseThrow();
    }
}

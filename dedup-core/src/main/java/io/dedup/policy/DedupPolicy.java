package io.dedup.policy;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The settings for deduplicating the messages of a topic. Immutable and thread-safe; {@link #defaults()} works without
 * further settings.
 *
 * <p>A changed window does not apply to existing records: each keeps the window that it was completed with.
 */
public final class DedupPolicy {
    private static final DedupPolicy DEFAULTS = new Builder().build();

    private final DedupMode mode;
    private final Window window;
    private final Duration lease;
    private final Duration maxProcessingTime;
    private final Duration inFlightWait;
    private final Duration maxDeferDelay;
    private final OnStoreFailure onStoreFailure;
    private final OnMissingId onMissingId;
    private final int missingIdLimit;
    private final OnConflict onConflict;
    private final int maxDeaths;
    private final int maxResultBytes;
    private final boolean fingerprint;
    private final boolean fencingToken;
    private final boolean steps;
    private final boolean explainDuplicates;
    private final @Nullable String senderHeader;
    private final boolean shadow;
    private final TransactionSpan transaction;
    private final int transactionMaxRecords;
    private final Duration transactionMaxTime;
    private final SettingNames names;

    private DedupPolicy(Builder from) {
        this.mode = from.mode;
        this.window = from.window;
        this.lease = from.lease;
        this.maxProcessingTime = from.maxProcessingTime;
        this.inFlightWait = from.inFlightWait;
        this.maxDeferDelay = from.maxDeferDelay;
        this.onStoreFailure = from.onStoreFailure;
        this.onMissingId = from.onMissingId;
        this.missingIdLimit = from.missingIdLimit;
        this.onConflict = from.onConflict;
        this.maxDeaths = from.maxDeaths;
        this.maxResultBytes = from.maxResultBytes;
        this.fingerprint = from.fingerprint;
        this.fencingToken = from.fencingToken;
        this.steps = from.steps;
        this.explainDuplicates = from.explainDuplicates;
        this.senderHeader = from.senderHeader;
        this.shadow = from.shadow;
        this.transaction = from.transaction;
        this.transactionMaxRecords = from.transactionMaxRecords;
        this.transactionMaxTime = from.transactionMaxTime;
        this.names = from.names;
    }

    /** Returns the default policy: a window of 7 days, a lease of 30 s, and the safest value of every other setting. */
    public static DedupPolicy defaults() {
        return DEFAULTS;
    }

    /** Returns a builder that starts from the default policy. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns a builder that starts from this policy. */
    public Builder toBuilder() {
        return new Builder(this);
    }

    /**
     * How the record is written relative to the effect; {@link DedupMode#LEASED} by default, and always in shadow mode.
     */
    public DedupMode mode() {
        return shadow ? DedupMode.LEASED : mode;
    }

    /**
     * How long an ID is remembered after its completion; 7 days by default. In the modes TRANSACTIONAL and TIERED it
     * counts from the claim.
     */
    public Window window() {
        return window;
    }

    /**
     * How long a claim stays valid without renewal, and so how long a message waits after its process crashed; 30 s by
     * default.
     */
    public Duration lease() {
        return lease;
    }

    /**
     * How long after the start of the handler its lease is renewed; 5 min by default. In the transactional modes, this
     * is also the timeout of the transaction.
     */
    public Duration maxProcessingTime() {
        return maxProcessingTime;
    }

    /**
     * How long a duplicate waits in place for a message in flight before it is deferred; 2 s by default. The end of a run in
     * the same process ends the wait at once; for one elsewhere, the store is asked again and again.
     */
    public Duration inFlightWait() {
        return inFlightWait;
    }

    /** The maximum delay that is suggested to the broker for redelivering a deferred message; 1 s by default. */
    public Duration maxDeferDelay() {
        return maxDeferDelay;
    }

    /** What happens to a message if the store does not answer its claim; {@link OnStoreFailure#RETRY} by default. */
    public OnStoreFailure onStoreFailure() {
        return onStoreFailure;
    }

    /** What happens to a message without a usable ID; {@link OnMissingId#FAIL} by default. */
    public OnMissingId onMissingId() {
        return onMissingId;
    }

    /**
     * From how many messages of a topic in a row without a usable ID on they are deferred instead of rejected, if no
     * message of the topic has had a usable ID since the start; 10 by default, 0 means never. Then the ID extractor, not
     * a message, is probably wrong, and rejecting would empty the topic. Only for {@link OnMissingId#FAIL}.
     */
    public int missingIdLimit() {
        return missingIdLimit;
    }

    /** What happens to a message whose ID was seen with another payload; {@link OnConflict#FAIL} by default. */
    public OnConflict onConflict() {
        return onConflict;
    }

    /**
     * After how many runs of its own with an expired lease a message is rejected as poison; 0, the default, means never.
     * Exceptions of the handler do not count, because the broker's retry policy applies to those; nor do they if the store
     * could not be told of them before the lease expired, unless the process has ended meanwhile.
     *
     * <p>A run counts if its message was claimed alone, at its turn. Claims that were made together with others (batches,
     * {@code executeAll}) or ahead (the rest of a poll) count for none of their messages when the process crashes, because
     * most of them have not begun: the messages are then claimed and run one by one, until each is done. So a message that
     * crashes every process is rejected after at most {@code maxDeaths + 1} crashes. Messages that run alone at the same time
     * in other threads of the process are counted with it: with several consumer threads in a process, set at least 2.
     *
     * <p>A claim that is left to expire because nobody knows how its run ends counts as well, although nothing has crashed: a
     * future that is cancelled or times out, a commit without an answer, a handler that takes longer than {@code
     * maxProcessingTime}.
     */
    public int maxDeaths() {
        return maxDeaths;
    }

    /**
     * The maximum size in bytes of a result that is kept for duplicates; 64 KiB by default. A result that exceeds the
     * limit of the store is not kept either.
     */
    public int maxResultBytes() {
        return maxResultBytes;
    }

    /** Whether broker adapters compare the payloads of messages with the same ID; off by default. */
    public boolean fingerprint() {
        return fingerprint;
    }

    /** Whether handlers get a fencing token; on by default. Without it, claims are cheaper on some stores. */
    public boolean fencingToken() {
        return fencingToken;
    }

    /**
     * Whether to check at start that handlers can use steps: that the mode is {@link DedupMode#LEASED}, and that the store keeps
     * them. False by default: then the first step of a handler fails where they cannot be used.
     */
    public boolean steps() {
        return steps;
    }

    /**
     * Whether each record keeps where its message was handled first (partition and offset, or queue), so that duplicates are
     * explained: redelivered, resent or replayed. Off by default, because it takes about 20 bytes with each record. In the modes
     * {@link DedupMode#TRANSACTIONAL} and {@link DedupMode#TIERED}, the table keeps it only with a result or a reference.
     */
    public boolean explainDuplicates() {
        return explainDuplicates;
    }

    /**
     * The header of messages (of RocketMQ, the property) that names their producer, such as its host or client ID. With
     * {@link #explainDuplicates()}, reports name the sender of copies by it. Null by default: then only RocketMQ's messages have a
     * sender, the host that the broker saw.
     */
    public @Nullable String senderHeader() {
        return senderHeader;
    }

    /** Whether the topic is in shadow mode: records are kept in a separate scope, and every message is handled. */
    public boolean shadow() {
        return shadow;
    }

    /**
     * What one transaction of mode {@link DedupMode#TRANSACTIONAL} spans: one record, or several of a poll;
     * {@link TransactionSpan#RECORD} by default. Only listeners of single Kafka records look at it.
     */
    public TransactionSpan transaction() {
        return transaction;
    }

    /** The maximum number of records in a transaction that spans several of a poll; 100 by default. */
    public int transactionMaxRecords() {
        return transactionMaxRecords;
    }

    /**
     * How long after its first handler's start a transaction that spans several records starts another handler; 1 s by default.
     * Then it commits what was handled, and the next transaction begins with the rest.
     */
    public Duration transactionMaxTime() {
        return transactionMaxTime;
    }

    /** How errors and log lines name the settings; {@link SettingNames#JAVA} by default. */
    public SettingNames settingNames() {
        return names;
    }

    @Override
    public String toString() {
        return "mode " + mode() + ", window " + window + ", lease " + lease + ", maxProcessingTime " + maxProcessingTime
                + ", inFlightWait "
                + inFlightWait + ", onStoreFailure " + onStoreFailure + ", onMissingId " + onMissingId
                + ", onConflict " + onConflict + ", maxDeaths " + maxDeaths + (shadow ? ", shadow" : "");
    }

    /**
     * Builds a policy. Every setter checks its value and throws an {@link IllegalArgumentException} that names the
     * setting. Not thread-safe.
     */
    public static final class Builder {
        private static final Duration MIN_LEASE = Duration.ofMillis(10);
        private static final Duration MAX_LEASE = Duration.ofDays(1);
        private static final Duration MAX_PROCESSING_TIME = Duration.ofDays(7);
        private static final Duration MAX_WAIT = Duration.ofMinutes(10);
        private static final int MAX_RESULT_BYTES = 16 * 1024 * 1024;
        private static final int MAX_MISSING_IDS = 10_000;
        private static final int MAX_TRANSACTION_RECORDS = 10_000;

        private DedupMode mode = DedupMode.LEASED;
        private Window window = Window.of(Duration.ofDays(7)); // as long as Kafka retains a topic by default
        private Duration lease = Duration.ofSeconds(30);
        private Duration maxProcessingTime = Duration.ofMinutes(5);
        private Duration inFlightWait = Duration.ofSeconds(2);
        private Duration maxDeferDelay = Duration.ofSeconds(1);
        private OnStoreFailure onStoreFailure = OnStoreFailure.RETRY;
        private OnMissingId onMissingId = OnMissingId.FAIL;
        private int missingIdLimit = 10;
        private OnConflict onConflict = OnConflict.FAIL;
        private int maxDeaths;
        private int maxResultBytes = 64 * 1024;
        private boolean fingerprint;
        private boolean fencingToken = true;
        private boolean steps;
        private boolean explainDuplicates;
        private @Nullable String senderHeader;
        private boolean shadow;
        private TransactionSpan transaction = TransactionSpan.RECORD;
        private int transactionMaxRecords = 100;
        private Duration transactionMaxTime = Duration.ofSeconds(1);
        private SettingNames names = SettingNames.JAVA;

        private Builder() {}

        private Builder(DedupPolicy from) {
            this.mode = from.mode;
            this.window = from.window;
            this.lease = from.lease;
            this.maxProcessingTime = from.maxProcessingTime;
            this.inFlightWait = from.inFlightWait;
            this.maxDeferDelay = from.maxDeferDelay;
            this.onStoreFailure = from.onStoreFailure;
            this.onMissingId = from.onMissingId;
            this.missingIdLimit = from.missingIdLimit;
            this.onConflict = from.onConflict;
            this.maxDeaths = from.maxDeaths;
            this.maxResultBytes = from.maxResultBytes;
            this.fingerprint = from.fingerprint;
            this.fencingToken = from.fencingToken;
            this.steps = from.steps;
            this.explainDuplicates = from.explainDuplicates;
            this.senderHeader = from.senderHeader;
            this.shadow = from.shadow;
            this.transaction = from.transaction;
            this.transactionMaxRecords = from.transactionMaxRecords;
            this.transactionMaxTime = from.transactionMaxTime;
            this.names = from.names;
        }

        /** See {@link DedupMode}. */
        public Builder mode(DedupMode value) {
            this.mode = Objects.requireNonNull(value, "mode");
            return this;
        }

        /** See {@link DedupPolicy#window()}. */
        public Builder window(Window value) {
            this.window = Objects.requireNonNull(value, "window");
            return this;
        }

        /** See {@link DedupPolicy#window()}; from 1 ms to {@link Window#MAX}. */
        public Builder window(Duration value) {
            return window(Window.of(value));
        }

        /** See {@link DedupPolicy#lease()}; from 10 ms to 1 day. */
        public Builder lease(Duration value) {
            this.lease = new Bounds(names).between("lease", value, MIN_LEASE, MAX_LEASE);
            return this;
        }

        /** See {@link DedupPolicy#maxProcessingTime()}; from the lease to 7 days. */
        public Builder maxProcessingTime(Duration value) {
            this.maxProcessingTime =
                    new Bounds(names).between("maxProcessingTime", value, MIN_LEASE, MAX_PROCESSING_TIME);
            return this;
        }

        /** See {@link DedupPolicy#inFlightWait()}; from zero to 10 minutes. */
        public Builder inFlightWait(Duration value) {
            this.inFlightWait = new Bounds(names).between("inFlightWait", value, Duration.ZERO, MAX_WAIT);
            return this;
        }

        /** See {@link DedupPolicy#maxDeferDelay()}; from 10 ms to 10 minutes. */
        public Builder maxDeferDelay(Duration value) {
            this.maxDeferDelay = new Bounds(names).between("maxDeferDelay", value, MIN_LEASE, MAX_WAIT);
            return this;
        }

        /** See {@link OnStoreFailure}. */
        public Builder onStoreFailure(OnStoreFailure value) {
            this.onStoreFailure = Objects.requireNonNull(value, "onStoreFailure");
            return this;
        }

        /** See {@link OnMissingId}. */
        public Builder onMissingId(OnMissingId value) {
            this.onMissingId = Objects.requireNonNull(value, "onMissingId");
            return this;
        }

        /** See {@link DedupPolicy#missingIdLimit()}; from 0 to 10,000. */
        public Builder missingIdLimit(int value) {
            this.missingIdLimit = new Bounds(names).between("missingIdLimit", value, 0, MAX_MISSING_IDS);
            return this;
        }

        /** See {@link OnConflict}. */
        public Builder onConflict(OnConflict value) {
            this.onConflict = Objects.requireNonNull(value, "onConflict");
            return this;
        }

        /** See {@link DedupPolicy#maxDeaths()}; not negative. */
        public Builder maxDeaths(int value) {
            this.maxDeaths = new Bounds(names).between("maxDeaths", value, 0, Integer.MAX_VALUE);
            return this;
        }

        /** See {@link DedupPolicy#maxResultBytes()}; from 0 to 16 MiB. */
        public Builder maxResultBytes(int value) {
            this.maxResultBytes = new Bounds(names).between("maxResultBytes", value, 0, MAX_RESULT_BYTES);
            return this;
        }

        /** See {@link DedupPolicy#fingerprint()}. */
        public Builder fingerprint(boolean value) {
            this.fingerprint = value;
            return this;
        }

        /** See {@link DedupPolicy#fencingToken()}. */
        public Builder fencingToken(boolean value) {
            this.fencingToken = value;
            return this;
        }

        /** See {@link DedupPolicy#steps()}. */
        public Builder steps(boolean value) {
            this.steps = value;
            return this;
        }

        /** See {@link DedupPolicy#explainDuplicates()}. */
        public Builder explainDuplicates(boolean value) {
            this.explainDuplicates = value;
            return this;
        }

        /**
         * See {@link DedupPolicy#senderHeader()}.
         *
         * @param value not blank; null for none
         */
        public Builder senderHeader(@Nullable String value) {
            if (value != null && value.isBlank()) {
                throw new IllegalArgumentException(names.name("senderHeader") + " must not be blank");
            }
            this.senderHeader = value;
            return this;
        }

        /** See {@link DedupPolicy#shadow()}. */
        public Builder shadow(boolean value) {
            this.shadow = value;
            return this;
        }

        /** See {@link TransactionSpan}. {@link TransactionSpan#POLL} needs mode {@link DedupMode#TRANSACTIONAL}. */
        public Builder transaction(TransactionSpan value) {
            this.transaction = Objects.requireNonNull(value, "transaction");
            return this;
        }

        /** See {@link DedupPolicy#transactionMaxRecords()}; from 2 to 10,000. */
        public Builder transactionMaxRecords(int value) {
            this.transactionMaxRecords =
                    new Bounds(names).between("transactionMaxRecords", value, 2, MAX_TRANSACTION_RECORDS);
            return this;
        }

        /** See {@link DedupPolicy#transactionMaxTime()}; from 10 ms to 10 minutes, and shorter than {@link DedupPolicy#maxProcessingTime()}. */
        public Builder transactionMaxTime(Duration value) {
            this.transactionMaxTime = new Bounds(names).between("transactionMaxTime", value, MIN_LEASE, MAX_WAIT);
            return this;
        }

        /** See {@link DedupPolicy#settingNames()}. Call this first, because the errors of the other setters use it. */
        public Builder settingNames(SettingNames value) {
            this.names = Objects.requireNonNull(value, "settingNames");
            return this;
        }

        /**
         * Creates the policy.
         *
         * @throws IllegalArgumentException if settings contradict each other
         */
        public DedupPolicy build() {
            if (maxProcessingTime.compareTo(lease) < 0) {
                throw new IllegalArgumentException(names.name("maxProcessingTime") + " ("
                        + names.value(maxProcessingTime) + ") must not be shorter than lease (" + names.value(lease)
                        + "). Raise " + names.name("maxProcessingTime") + " or lower lease");
            }
            DedupPolicy policy = new DedupPolicy(this);
            ModeRules.check(mode, policy);
            return policy;
        }
    }
}

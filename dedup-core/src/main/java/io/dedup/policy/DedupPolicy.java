package io.dedup.policy;

import java.time.Duration;
import java.util.Objects;

/**
 * How messages of a topic are deduplicated. Immutable and thread-safe; {@link #defaults()} is a working one.
 *
 * <p>Changing a window isn't retroactive: a record keeps the window that it was completed with.
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
    private final OnConflict onConflict;
    private final int maxDeaths;
    private final int maxResultBytes;
    private final boolean fingerprint;
    private final boolean fencingToken;
    private final boolean shadow;
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
        this.onConflict = from.onConflict;
        this.maxDeaths = from.maxDeaths;
        this.maxResultBytes = from.maxResultBytes;
        this.fingerprint = from.fingerprint;
        this.fencingToken = from.fencingToken;
        this.shadow = from.shadow;
        this.names = from.names;
    }

    /** Window 7 days, lease 30 s, everything else in its safest form. */
    public static DedupPolicy defaults() {
        return DEFAULTS;
    }

    public static Builder builder() {
        return new Builder();
    }

    /** A builder that starts from this policy. */
    public Builder toBuilder() {
        return new Builder(this);
    }

    /** How the record is kept together with the effect; {@link DedupMode#LEASED} by default, and in shadow mode. */
    public DedupMode mode() {
        return shadow ? DedupMode.LEASED : mode;
    }

    /** For how long after completion an ID is remembered; 7 days by default. In a transaction it counts from the claim. */
    public Window window() {
        return window;
    }

    /** How long a claim holds without a heartbeat, and so how long a crashed message waits; 30 s by default. */
    public Duration lease() {
        return lease;
    }

    /**
     * For how long after a handler's start its lease is renewed; 5 min by default. The time-out of the transaction in the
     * transactional modes.
     */
    public Duration maxProcessingTime() {
        return maxProcessingTime;
    }

    /** For how long a duplicate of a running message waits in place before it is deferred; 2 s by default. */
    public Duration inFlightWait() {
        return inFlightWait;
    }

    /** The longest that a broker is asked to hold a deferred message before it comes again; 1 s by default. */
    public Duration maxDeferDelay() {
        return maxDeferDelay;
    }

    public OnStoreFailure onStoreFailure() {
        return onStoreFailure;
    }

    public OnMissingId onMissingId() {
        return onMissingId;
    }

    public OnConflict onConflict() {
        return onConflict;
    }

    /**
     * How many runs of a message may end with their lease running out before it is rejected as poison; 0, the
     * default, means any number. Exceptions of a handler don't count: those belong to the broker's policy.
     */
    public int maxDeaths() {
        return maxDeaths;
    }

    /** The largest result kept for duplicates, in bytes; 64 KiB by default. One larger than the store takes isn't kept either. */
    public int maxResultBytes() {
        return maxResultBytes;
    }

    /** Whether broker adapters compare payloads of one ID; off by default. */
    public boolean fingerprint() {
        return fingerprint;
    }

    /** Whether handlers get a fencing token; on by default. Some stores claim more cheaply without. */
    public boolean fencingToken() {
        return fencingToken;
    }

    /** Whether this only watches: records are kept in a scope of their own, and every message runs. */
    public boolean shadow() {
        return shadow;
    }

    /** How errors and log lines name these settings; {@link SettingNames#JAVA} by default. */
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

    /** Builds a policy; every setter checks its value and names itself in the error. Not thread-safe. */
    public static final class Builder {
        private static final Duration MIN_LEASE = Duration.ofMillis(10);
        private static final Duration MAX_LEASE = Duration.ofDays(1);
        private static final Duration MAX_PROCESSING_TIME = Duration.ofDays(7);
        private static final Duration MAX_WAIT = Duration.ofMinutes(10);
        private static final int MAX_RESULT_BYTES = 16 * 1024 * 1024;

        private DedupMode mode = DedupMode.LEASED;
        private Window window = Window.of(Duration.ofDays(7)); // as long as Kafka retains a topic by default
        private Duration lease = Duration.ofSeconds(30);
        private Duration maxProcessingTime = Duration.ofMinutes(5);
        private Duration inFlightWait = Duration.ofSeconds(2);
        private Duration maxDeferDelay = Duration.ofSeconds(1);
        private OnStoreFailure onStoreFailure = OnStoreFailure.RETRY;
        private OnMissingId onMissingId = OnMissingId.FAIL;
        private OnConflict onConflict = OnConflict.FAIL;
        private int maxDeaths;
        private int maxResultBytes = 64 * 1024;
        private boolean fingerprint;
        private boolean fencingToken = true;
        private boolean shadow;
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
            this.onConflict = from.onConflict;
            this.maxDeaths = from.maxDeaths;
            this.maxResultBytes = from.maxResultBytes;
            this.fingerprint = from.fingerprint;
            this.fencingToken = from.fencingToken;
            this.shadow = from.shadow;
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

        /** From 1 ms to {@link Window#MAX}; see {@link DedupPolicy#window()}. */
        public Builder window(Duration value) {
            return window(Window.of(value));
        }

        /** From 10 ms to 1 day; see {@link DedupPolicy#lease()}. */
        public Builder lease(Duration value) {
            this.lease = new Bounds(names).between("lease", value, MIN_LEASE, MAX_LEASE);
            return this;
        }

        /** From the lease to 7 days; see {@link DedupPolicy#maxProcessingTime()}. */
        public Builder maxProcessingTime(Duration value) {
            this.maxProcessingTime =
                    new Bounds(names).between("maxProcessingTime", value, MIN_LEASE, MAX_PROCESSING_TIME);
            return this;
        }

        /** From zero to 10 minutes; see {@link DedupPolicy#inFlightWait()}. */
        public Builder inFlightWait(Duration value) {
            this.inFlightWait = new Bounds(names).between("inFlightWait", value, Duration.ZERO, MAX_WAIT);
            return this;
        }

        /** From 10 ms to 10 minutes; see {@link DedupPolicy#maxDeferDelay()}. */
        public Builder maxDeferDelay(Duration value) {
            this.maxDeferDelay = new Bounds(names).between("maxDeferDelay", value, MIN_LEASE, MAX_WAIT);
            return this;
        }

        public Builder onStoreFailure(OnStoreFailure value) {
            this.onStoreFailure = Objects.requireNonNull(value, "onStoreFailure");
            return this;
        }

        public Builder onMissingId(OnMissingId value) {
            this.onMissingId = Objects.requireNonNull(value, "onMissingId");
            return this;
        }

        public Builder onConflict(OnConflict value) {
            this.onConflict = Objects.requireNonNull(value, "onConflict");
            return this;
        }

        /** Not negative; see {@link DedupPolicy#maxDeaths()}. */
        public Builder maxDeaths(int value) {
            this.maxDeaths = new Bounds(names).between("maxDeaths", value, 0, Integer.MAX_VALUE);
            return this;
        }

        /** From 0 to 16 MiB; see {@link DedupPolicy#maxResultBytes()}. */
        public Builder maxResultBytes(int value) {
            this.maxResultBytes = new Bounds(names).between("maxResultBytes", value, 0, MAX_RESULT_BYTES);
            return this;
        }

        public Builder fingerprint(boolean value) {
            this.fingerprint = value;
            return this;
        }

        public Builder fencingToken(boolean value) {
            this.fencingToken = value;
            return this;
        }

        public Builder shadow(boolean value) {
            this.shadow = value;
            return this;
        }

        /** See {@link DedupPolicy#settingNames()}. Comes first: the other setters' errors use it. */
        public Builder settingNames(SettingNames value) {
            this.names = Objects.requireNonNull(value, "settingNames");
            return this;
        }

        /**
         * The policy.
         *
         * @throws IllegalArgumentException when settings contradict each other
         */
        public DedupPolicy build() {
            if (maxProcessingTime.compareTo(lease) < 0) {
                throw new IllegalArgumentException(names.name("maxProcessingTime") + " ("
                        + names.value(maxProcessingTime) + ") must not be shorter than lease (" + names.value(lease)
                        + "): raise the one or lower the other");
            }
            DedupPolicy policy = new DedupPolicy(this);
            ModeRules.check(mode, policy);
            return policy;
        }
    }
}

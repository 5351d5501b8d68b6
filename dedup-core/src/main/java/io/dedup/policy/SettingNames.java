package io.dedup.policy;

/**
 * Names settings the way the user writes them, so that errors and log lines show what to change. By default these are
 * the Java names, such as {@code onMissingId} and {@code PROCESS}. A framework that creates policies from configuration
 * files provides its own names with {@link DedupPolicy.Builder#settingNames}. Implementations are thread-safe and do
 * not throw.
 */
public interface SettingNames {
    /** The Java names. */
    SettingNames JAVA = new SettingNames() {};

    /**
     * Returns the name of a setting.
     *
     * @param setting the Java name: a method of {@link DedupPolicy.Builder} or of a module's builder, or a setting of
     *     the broker, such as {@code max.poll.interval.ms}
     */
    default String name(String setting) {
        return setting;
    }

    /** Returns the name of a setting with its location, if known: {@code dedup.topics.orders.on-missing-id}. */
    default String path(String setting) {
        return name(setting);
    }

    /**
     * Returns a value as the user writes it.
     *
     * @param value an enum constant, a {@link java.time.Duration}, a {@link Window}, or any other value
     */
    default String value(Object value) {
        return String.valueOf(value);
    }

    /**
     * Explains for the log why a message ID may have been seen with another payload, and names what was done about it.
     *
     * @param applied the policy that was applied
     */
    default String conflict(OnConflict applied) {
        return "the producer reuses IDs, or the ID extractor of this topic picks a field that isn't unique. Applied "
                + path("onConflict") + ": " + value(applied);
    }

    /** Translates a message of a store, which uses Java names, to the user's names. */
    default String text(String message) {
        return message;
    }
}

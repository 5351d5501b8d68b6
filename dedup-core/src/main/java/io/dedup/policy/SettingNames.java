package io.dedup.policy;

/**
 * How whoever configures a policy writes its settings, so that errors and log lines name what that person can change. Without
 * one they are written as in Java, {@code onMissingId} and {@code PROCESS}; a framework that makes policies of configuration
 * files gives its own by {@link DedupPolicy.Builder#settingNames}. Implementations are thread-safe and throw nothing.
 */
public interface SettingNames {
    /** As in Java. */
    SettingNames JAVA = new SettingNames() {};

    /**
     * The name of a setting.
     *
     * @param setting as in Java: a method of {@link DedupPolicy.Builder} or of a module's builder, or a broker's own setting,
     *     such as {@code max.poll.interval.ms}
     */
    default String name(String setting) {
        return setting;
    }

    /** The same with the place where it is set, where that is known: {@code dedup.topics.orders.on-missing-id}. */
    default String path(String setting) {
        return name(setting);
    }

    /** A value of a setting: an enum's constant, a {@link java.time.Duration}, a {@link Window}. */
    default String value(Object value) {
        return String.valueOf(value);
    }

    /** A message of a store that names settings as in Java. */
    default String text(String message) {
        return message;
    }
}

package io.dedup.spring.boot.internal.store;

import io.dedup.spring.boot.DedupConfigurationException;
import io.dedup.spring.boot.internal.text.YamlNames;
import org.jspecify.annotations.Nullable;

/** Reports at start why the store in Redis cannot be used: in Redis's own words, with advice that fits the cause. */
final class RedisFailure {
    private RedisFailure() {}

    /**
     * The report.
     *
     * @param settings where the server is set: {@code spring.data.redis} or {@code dedup.redis.url}
     */
    static DedupConfigurationException of(RuntimeException failure, String settings) {
        Throwable refused = CauseChain.last(failure, Throwable.class, RedisFailure::isWrongLogin);
        String message = YamlNames.inYaml(String.valueOf(failure.getMessage()));
        if (refused == null) {
            return new DedupConfigurationException(
                    "Cannot use the deduplication store in Redis: " + message + ownWords(message, failure),
                    "The server is configured by " + settings + ", everything else under dedup.redis.",
                    failure);
        }
        return new DedupConfigurationException(
                "Cannot connect to the deduplication store: " + CauseChain.words(refused) + ".",
                settings.endsWith(".url")
                        ? "Check user and password in " + settings + "."
                        : "Check " + settings + ".username and " + settings + ".password.",
                failure);
    }

    /** Redis begins each of its errors with a word that says which. */
    private static boolean isWrongLogin(Throwable cause) {
        String message = String.valueOf(cause.getMessage());
        return message.startsWith("WRONGPASS") || message.startsWith("NOAUTH");
    }

    private static String ownWords(String message, Throwable failure) {
        @Nullable Throwable cause = CauseChain.last(failure, Throwable.class, each -> each != failure);
        return cause == null || message.contains(CauseChain.words(cause)) ? "" : " (" + CauseChain.words(cause) + ")";
    }
}

package io.dedup.spring.boot.internal.text;

import io.dedup.policy.DedupMode;
import io.dedup.policy.SettingNames;
import io.dedup.policy.Window;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Names settings as they are written in {@code application.yml}. Immutable and thread-safe.
 *
 * @param prefix where a policy is configured, such as {@code dedup.topics.orders}
 */
public record YamlNames(String prefix) implements SettingNames {
    /** The settings of a policy that are written in another way than in Java. */
    private static final List<String> POLICY = List.of(
            "maxProcessingTime",
            "inFlightWait",
            "maxDeferDelay",
            "onStoreFailure",
            "onMissingId",
            "missingIdLimit",
            "onConflict",
            "maxDeaths",
            "fencingToken",
            "explainDuplicates",
            "transactionMaxRecords",
            "transactionMaxTime",
            "attemptRetention");

    /** Settings that exist once, by their names in Java and in Kafka. */
    private static final Map<String, String> ELSEWHERE = Map.ofEntries(
            Map.entry("lockTimeout", "dedup.jdbc.lock-timeout"),
            Map.entry("queryTimeout", "dedup.jdbc.query-timeout"),
            Map.entry("purgeBatch", "dedup.jdbc.purge-batch"),
            Map.entry("purgeInterval", "dedup.jdbc.purge-interval"),
            Map.entry("keyFormat", "dedup.jdbc.key-format"),
            Map.entry("initializeSchema", "dedup.jdbc.initialize-schema"),
            Map.entry("commandTimeout", "dedup.redis.command-timeout"),
            Map.entry("idHashing", "dedup.privacy.id-hash-key"),
            Map.entry("resultEncryption", "dedup.privacy.result-keys"),
            Map.entry("shutdownTimeout", "dedup.shutdown-timeout"),
            Map.entry("asyncAcks", "spring.kafka.listener.async-acks"),
            Map.entry("enable.auto.commit", "spring.kafka.consumer.enable-auto-commit"),
            Map.entry("max.poll.interval.ms", "spring.kafka.consumer.max-poll-interval"),
            Map.entry("max.poll.records", "spring.kafka.consumer.max-poll-records"),
            Map.entry("transaction.timeout.ms", "spring.kafka.producer.properties.\"[transaction.timeout.ms]\""));

    private static final Map<String, String> NAMES = names();

    /** What isn't a part of another name, or of a topic's. */
    private static final String BEFORE = "(?<![\\w.-])";

    private static final String AFTER = "(?![\\w-]|\\.\\w)";

    private static final Pattern SETTINGS = Pattern.compile(BEFORE + "(?:"
            + NAMES.keySet().stream().map(Pattern::quote).collect(Collectors.joining("|"))
            + ")(?:\\(\\.\\.\\.\\))?" + AFTER);
    private static final Pattern MODES = Pattern.compile(BEFORE + "(?:"
            + Arrays.stream(DedupMode.values()).map(Enum::name).collect(Collectors.joining("|")) + ")" + AFTER);
    private static final Pattern DURATIONS =
            Pattern.compile(BEFORE + "PT(?=[-\\d])(?:-?\\d+H)?(?:-?\\d+M)?(?:-?\\d+(?:\\.\\d+)?S)?" + AFTER);

    private static final Pattern PACKED = Pattern.compile(BEFORE + "packed(?:\\(([\\d-]+)\\))");

    private static final Pattern READ_PACKED = Pattern.compile(BEFORE + "readPacked(?:\\(([\\d-]+)\\))");

    private static Map<String, String> names() {
        Map<String, String> names = new HashMap<>(ELSEWHERE);
        POLICY.forEach(setting ->
                names.put(setting, setting.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT)));
        return Map.copyOf(names);
    }

    @Override
    public String name(String setting) {
        return NAMES.getOrDefault(setting, setting);
    }

    @Override
    public String path(String setting) {
        return ELSEWHERE.containsKey(setting) ? name(setting) : prefix + "." + name(setting);
    }

    @Override
    public String value(Object value) {
        if (value instanceof Enum<?> constant) {
            return SettingText.of(constant);
        }
        if (value instanceof Duration duration) {
            return SettingText.of(duration);
        }
        return value instanceof Window window ? SettingText.of(window) : String.valueOf(value);
    }

    @Override
    public String text(String message) {
        return inYaml(message);
    }

    /** A message of a module below, which names its settings and their values as in Java. */
    public static String inYaml(String message) {
        String text = message.replace("initializeSchema(ALWAYS)", "dedup.jdbc.initialize-schema to always")
                .replace("correct table(...)", "correct dedup.jdbc.table")
                .replace("Window.forever()", "forever");
        text = READ_PACKED
                .matcher(text)
                .replaceAll("dedup.redis.packed.expected-ids $1 with dedup.redis.packed.write false");
        text = PACKED.matcher(text).replaceAll("dedup.redis.packed.expected-ids $1");
        text = SETTINGS.matcher(text).replaceAll(found -> name(found));
        text = MODES.matcher(text).replaceAll(found -> SettingText.of(DedupMode.valueOf(found.group())));
        return DURATIONS.matcher(text).replaceAll(found -> SettingText.of(Duration.parse(found.group())));
    }

    private static String name(MatchResult found) {
        String name = found.group().replace("(...)", "");
        return Matcher.quoteReplacement(NAMES.getOrDefault(name, name));
    }
}

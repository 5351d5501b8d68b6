package io.dedup.spring.boot.autoconfigure;

import io.dedup.spring.boot.DedupConfigurationException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.SpringBootVersion;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.Ordered;

/**
 * Rejects versions of Spring Boot that this starter doesn't support, and two starters at once. The application would start there, but
 * without meters, health and the connection to Redis, which those versions keep in other packages. Uses only what those versions have
 * as well, and runs before any configuration class is read.
 */
final class BootVersionCheck implements ApplicationContextInitializer<ConfigurableApplicationContext>, Ordered {
    private static final String WITHOUT = " To start the application without deduplication, set dedup.enabled: false.";

    private final String version;
    private final List<StarterLine> starters;

    /** For the version and the starters on the class path. */
    BootVersionCheck() {
        this(SpringBootVersion.getVersion(), StarterLine.onClassPath(BootVersionCheck.class.getClassLoader()));
    }

    BootVersionCheck(String version, List<StarterLine> starters) {
        this.version = version;
        this.starters = List.copyOf(starters);
    }

    @Override
    public void initialize(ConfigurableApplicationContext context) {
        if (!context.getEnvironment().getProperty("dedup.enabled", Boolean.class, true)) {
            return;
        }
        StarterLine right = StarterLine.of(version);
        if (starters.size() > 1) {
            throw severalStarters(right);
        }
        if (starters.size() == 1 && starters.get(0) != right && StarterLine.canRead(version)) {
            throw wrongStarter(starters.get(0), right);
        }
    }

    private DedupConfigurationException severalStarters(@Nullable StarterLine right) {
        String all = String.join(
                " and ", starters.stream().map(StarterLine::artifact).toList());
        String others = String.join(
                " and ",
                starters.stream()
                        .filter(line -> line != right)
                        .map(StarterLine::artifact)
                        .toList());
        return new DedupConfigurationException(
                all
                        + " are both on the class path. They contain the same classes for different versions of Spring Boot, and"
                        + " this application has Spring Boot " + version + ".",
                "Remove " + others + "." + WITHOUT);
    }

    private DedupConfigurationException wrongStarter(StarterLine starter, @Nullable StarterLine right) {
        return new DedupConfigurationException(
                starter.artifact() + " needs " + starter.needs() + ", but this application has Spring Boot " + version
                        + ". Health, metrics and the settings of spring.data.redis would not work.",
                (right == null
                                ? "Use Spring Boot 4.1, or Spring Boot 3.5 with " + StarterLine.BOOT_3.artifact()
                                        + ". Or remove the starter and deduplicate in Java with dedup-kafka or"
                                        + " dedup-rocketmq, which don't need Spring Boot."
                                : "Replace " + starter.artifact() + " with " + right.artifact()
                                        + ", which has the same settings.")
                        + WITHOUT);
    }

    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }
}

package io.dedup.spring.boot.autoconfigure;

import io.dedup.spring.boot.DedupConfigurationException;
import org.springframework.boot.SpringBootVersion;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.Ordered;

/**
 * Rejects versions of Spring Boot that this starter doesn't support. The application would start there, but without meters, health and
 * the connection to Redis, which those versions keep in other packages. Uses only what those versions have as well.
 */
final class BootVersionCheck implements ApplicationContextInitializer<ConfigurableApplicationContext>, Ordered {
    private static final int OLDEST_MAJOR = 4;

    private final String version;

    /** For the version on the class path. */
    BootVersionCheck() {
        this(SpringBootVersion.getVersion());
    }

    BootVersionCheck(String version) {
        this.version = version;
    }

    @Override
    public void initialize(ConfigurableApplicationContext context) {
        boolean enabled = context.getEnvironment().getProperty("dedup.enabled", Boolean.class, true);
        if (enabled && major() < OLDEST_MAJOR) {
            throw new DedupConfigurationException(
                    "dedup-spring-boot-starter needs Spring Boot 4, but this application has Spring Boot " + version
                            + ". Health, metrics and the settings of spring.data.redis would not work.",
                    "Use Spring Boot 4.1. Or remove the starter and deduplicate in Java with dedup-kafka or dedup-rocketmq, which"
                            + " don't need Spring Boot. To start the application without deduplication, set"
                            + " dedup.enabled: false.");
        }
    }

    private int major() {
        int dot = version.indexOf('.');
        try {
            return Integer.parseInt(dot < 0 ? version : version.substring(0, dot));
        } catch (NumberFormatException e) {
            return OLDEST_MAJOR; // no number says that it is older
        }
    }

    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }
}

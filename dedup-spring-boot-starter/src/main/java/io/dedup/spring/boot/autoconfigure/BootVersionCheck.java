package io.dedup.spring.boot.autoconfigure;

import io.dedup.spring.boot.DedupConfigurationException;
import org.springframework.boot.SpringBootVersion;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.Ordered;

/**
 * Refuses versions of Spring Boot that this starter wasn't made for. They would start without a word, and leave out what they keep
 * in other packages: meters, health, the connection to Redis. Uses only what those versions have as well.
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
                    "dedup-spring-boot-starter is made for Spring Boot 4, and this application has Spring Boot "
                            + version + ": health, metrics and the settings of spring.data.redis would be missing",
                    "Use Spring Boot 4.1; or leave the starter out, and deduplicate in Java with dedup-kafka or dedup-rocketmq,"
                            + " which need no Spring Boot. dedup.enabled: false starts the application without deduplication.");
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

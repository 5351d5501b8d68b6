package org.example.billing;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.LettuceVersion;
import io.netty.util.Version;
import org.apache.kafka.common.utils.AppInfoParser;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootVersion;
import org.springframework.core.SpringVersion;

/** dedup changes no version that Spring Boot 3.5 manages. */
class VersionsTest {
    @Test
    void springBootsOwn() {
        assertThat(SpringBootVersion.getVersion()).startsWith("3.5.");
        assertThat(SpringVersion.getVersion()).startsWith("6.2.");
        assertThat(AppInfoParser.getVersion()).startsWith("3.9.");
        assertThat(LettuceVersion.getVersion()).startsWith("6.6.");
        assertThat(Version.identify().values())
                .isNotEmpty()
                .allSatisfy(netty -> assertThat(netty.artifactVersion()).startsWith("4.1."));
    }
}

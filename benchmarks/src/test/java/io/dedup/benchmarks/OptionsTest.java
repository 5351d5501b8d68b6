package io.dedup.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.Test;
import picocli.CommandLine.ParameterException;

class OptionsTest {
    @Test
    void by_default_every_store_can_be_started() {
        assertThat(Options.parse().plainStores()).isSubsetOf(Subjects.names()).contains("postgresql", "mariadb");
        assertThat(Options.parse().stores()).contains("postgresql-synced", "mariadb-prepared");
    }

    @Test
    void says_which_argument_is_wrong() {
        assertThatExceptionOfType(ParameterException.class)
                .isThrownBy(() -> Options.parse("--stores=oracle"))
                .withMessageContaining("oracle")
                .withMessageContaining("mariadb-prepared");
        assertThatExceptionOfType(ParameterException.class)
                .isThrownBy(() -> Options.parse("--rounds=0"))
                .withMessageContaining("'--rounds': '0'");
        assertThatExceptionOfType(ParameterException.class)
                .isThrownBy(() -> Options.parse("--round=3"))
                .withMessageContaining("--round=3");
    }
}

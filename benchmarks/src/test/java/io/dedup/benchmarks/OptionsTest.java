package io.dedup.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

class OptionsTest {
    @Test
    void by_default_every_store_can_be_started() {
        assertThat(Options.parse().plainStores()).isSubsetOf(Subjects.names()).contains("postgresql", "mariadb");
        assertThat(Options.parse().stores()).contains("postgresql-synced", "mariadb-prepared");
    }

    @Test
    void says_which_argument_is_wrong() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Options.parse("stores=oracle"))
                .withMessageContaining("oracle")
                .withMessageContaining("mariadb-prepared");
        assertThatIllegalArgumentException().isThrownBy(() -> Options.parse("rounds=0"));
    }
}

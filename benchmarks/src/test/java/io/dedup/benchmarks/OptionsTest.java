package io.dedup.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.dedup.benchmarks.network.Network;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.ParameterException;

class OptionsTest {
    @Test
    void by_default_every_store_can_be_started() {
        assertThat(Options.parse().plainStores()).isSubsetOf(Subjects.names()).contains("postgresql", "mariadb");
        assertThat(Options.parse().stores()).contains("postgresql-synced", "mariadb-prepared");
    }

    @Test
    void stores_are_as_far_away_as_was_asked() {
        assertThat(Options.parse().networks()).containsExactly(Network.LOOPBACK);
        assertThat(Options.parse("--link-us=0,500").networks())
                .containsExactly(Network.LOOPBACK, new Network(Duration.ofNanos(500_000)));
        assertThat(new Network(Duration.ofNanos(500_000)).name("Redis")).isEqualTo("Redis, 0.5 ms away");
    }

    @Test
    void what_takes_long_runs_only_by_name() {
        assertThat(Options.parse().wants("listeners")).isFalse();
        assertThat(Options.parse().wants("steady")).isFalse();
        assertThat(Options.parse("--benchmark=steady,failover,idle").wants("failover"))
                .isTrue();
    }

    @Test
    void a_distance_can_be_taken_from_a_name_and_has_a_column_of_its_own() {
        Network away = new Network(Duration.ofNanos(500_000));
        assertThat(away.plain(away.name("Redis 7.0.15"))).isEqualTo("Redis 7.0.15");
        assertThat(Network.LOOPBACK.plain("Redis 7.0.15")).isEqualTo("Redis 7.0.15");
        assertThat(away.label()).isEqualTo("0.5 ms");
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

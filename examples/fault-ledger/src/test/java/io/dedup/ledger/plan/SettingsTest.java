package io.dedup.ledger.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine.ParameterException;

class SettingsTest {
    @Test
    void allRowsUnlessNamed() {
        assertThat(Settings.of().rows()).containsExactly(Row.values());
        assertThat(Settings.of("--rows=tiered,none,tiered").rows()).containsExactly(Row.TIERED, Row.NONE);
    }

    @Test
    void passesInDrawnCircumstancesAreShortAndOfOurModes() {
        Settings settings = Settings.of("--combinations=3", "--messages=default", "--seed=7");
        assertThat(settings.rows()).hasSize(6).allMatch(Row::isOurs);
        assertThat(settings.size(2)).isEqualTo(new RunSize(200, 12, RunSize.DRAWN, 9));
        assertThat(Settings.of("--faults=default").size()).isEqualTo(new RunSize(1000, 30, RunSize.ALL, 1));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '>',
            quoteCharacter = '"',
            value = {
                "--rows=redis > no row redis",
                "--messages=many > '--messages': 'many'",
                "--faults=0 > '--faults': '0'",
                "--messages=5 > messages=5: at least one for each of faults=30",
                "--fault=3 > --fault=3",
                "--kinds=kill+flood > no kind of fault flood",
                "--combinations=-1 > '--combinations': '-1'",
                "--with=sun > no circumstance sun",
                "--seed=first > '--seed': 'first'",
                "quick > quick",
            })
    void whatIsWrongIsNamed(String argument, String named) {
        assertThatThrownBy(() -> Settings.of(argument))
                .isInstanceOf(ParameterException.class)
                .hasMessageContaining(named);
    }
}

package io.dedup.ledger.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SettingsTest {
    @Test
    void allRowsUnlessNamed() {
        assertThat(Settings.of().rows()).containsExactly(Row.values());
        assertThat(Settings.of("rows=tiered,none,tiered").rows()).containsExactly(Row.TIERED, Row.NONE);
    }

    @ParameterizedTest
    @CsvSource({
        "rows=redis, no row redis",
        "messages=many, messages=many",
        "faults=0, faults=0",
        "messages=5, faults=30",
        "fault=3, fault=3",
        "kinds=kill+flood, no kind of fault flood",
        "quick, quick",
    })
    void whatIsWrongIsNamed(String argument, String named) {
        assertThatThrownBy(() -> Settings.of(argument))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(named);
    }
}

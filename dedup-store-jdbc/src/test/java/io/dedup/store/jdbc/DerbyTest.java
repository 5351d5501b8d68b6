package io.dedup.store.jdbc;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dedup.store.jdbc.support.GenericEngine;
import io.dedup.store.jdbc.support.GenericFixture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class DerbyTest {
    /** Of the 608 tests of the contract only those with such IDs fail: one message would pass for another. */
    @Test
    @DisplayName("S5 a database that pads binary keys when it compares them is refused")
    void padsKeys() {
        assertThatThrownBy(() -> new GenericFixture(GenericEngine.DERBY))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("as if the shorter value were padded with byte 32");
    }
}

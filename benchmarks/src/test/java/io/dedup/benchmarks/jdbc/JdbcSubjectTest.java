package io.dedup.benchmarks.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.benchmarks.network.Network;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the bare driver repeats has to do what the store does, or a section ends with its first subject. */
@Tag("long")
class JdbcSubjectTest {
    @Test
    void the_bare_driver_does_what_the_store_does() {
        assertCaptures(JdbcSubject::postgres);
        assertCaptures(JdbcSubject::mariadb);
        assertCaptures(JdbcSubject::preparingMariadb);
    }

    private static void assertCaptures(Function<Network, JdbcSubject> database) {
        try (JdbcSubject subject = database.apply(Network.LOOPBACK)) {
            assertThat(subject.contenders()).isNotEmpty();
        }
    }
}

package io.dedup.spring.boot.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.DedupStoreException;
import io.dedup.spring.boot.DedupConfigurationException;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whatever a store, a pool or a driver wraps it in, the database's own words are shown, and shown once. */
class DatabaseFailureTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            28P01 | 0     | Check spring.datasource.username and spring.datasource.password.
            28000 | 1045  | Check spring.datasource.username and spring.datasource.password.
            42000 | 1044  | Check spring.datasource.username and spring.datasource.password.
            3D000 | 0     | Check the database's name in spring.datasource.url.
            42000 | 1049  | Check the database's name in spring.datasource.url.
            08001 | 0     | Check spring.datasource.url, and that the database accepts connections.
            42P01 | 0     | Let your migrations run the script named above
            42501 | 0     | Change what the message says.
            """)
    void adviceFitsTheCause(String state, int code, String action) {
        SQLException said = new SQLException("own words of the database", state, code);
        SQLException pooled = new SQLException("Connection is not available", new RuntimeException(said));
        for (RuntimeException failure : new RuntimeException[] {
            new DedupStoreException("start on table t failed (SQLState " + state + ")", said),
            new DedupStoreException("start on table t failed: own words of the database", said),
            new DedupStoreException("start on table t failed", pooled),
            new IllegalStateException("Failed to initialize pool", said)
        }) {
            DedupConfigurationException report = DatabaseFailure.of(failure, null);
            assertThat(report.getMessage()).containsOnlyOnce("own words of the database");
            assertThat(report.action()).startsWith(action);
        }
    }

    @Test
    void aDataSourceThatIsNamedIsNotTheOneOfSpringBootsProperties() {
        SQLException said = new SQLException("password authentication failed", "28P01");
        assertThat(DatabaseFailure.of(new DedupStoreException("start failed", said), "ledger")
                        .action())
                .isEqualTo("Check username and password of the DataSource bean ledger.");
    }

    @Test
    void withoutADatabaseTheMessageIsTheStoresOwn() {
        assertThat(DatabaseFailure.of(new IllegalArgumentException("lockTimeout must be at most PT10M"), null))
                .hasMessage("Cannot use the deduplication table: dedup.jdbc.lock-timeout must be at most 10m");
    }
}

package io.dedup.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.DedupKey;
import io.dedup.store.Claim;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.CompleteRequest;
import io.dedup.store.WriteResult;
import io.dedup.store.jdbc.support.Messages;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** H2 stands in for other databases in the tests of many applications, in the mode that is named after them. */
class H2ModesTest {
    private final Messages messages = new Messages();

    static Stream<String> modes() {
        return Stream.of(
                "Regular",
                "Strict",
                "Legacy",
                "DB2",
                "Derby",
                "HSQLDB",
                "MSSQLServer",
                "MariaDB",
                "MySQL",
                "Oracle",
                "PostgreSQL",
                "PostgreSQL;DATABASE_TO_LOWER=TRUE;DEFAULT_NULL_ORDERING=HIGH");
    }

    @ParameterizedTest
    @MethodSource("modes")
    @DisplayName("the table is created in each of H2's modes, in both key formats, and works")
    void everyMode(String mode) {
        for (JdbcKeyFormat keys : JdbcKeyFormat.values()) {
            JdbcDataSource database = new JdbcDataSource();
            database.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1;MODE=" + mode);
            try (JdbcDedupStore store = JdbcDedupStore.builder(database)
                    .initializeSchema(InitializeSchema.EMBEDDED)
                    .keyFormat(keys)
                    .build()) {
                DedupKey key = messages.key();
                Messages.released(store, key);
                ClaimRequest second = Messages.claim(key);
                Messages.assertAcquired(Messages.only(store.claim(List.of(second))), 2);
                byte[] result = new byte[10_000];
                assertThat(Messages.only(store.complete(List.of(new CompleteRequest(
                                new Claim(key, second.owner(), 2), Messages.WINDOW, result, false)))))
                        .isEqualTo(WriteResult.applied());
                assertThat(Messages.only(store.claim(List.of(Messages.claim(key)))))
                        .isInstanceOfSatisfying(
                                ClaimResult.AlreadyDone.class,
                                done -> assertThat(done.result()).isEqualTo(result));
                assertThat(store.purgeExpired(10)).isZero();
            }
        }
    }
}

package io.dedup.store.jdbc;

import static io.dedup.store.jdbc.support.Messages.acquireAll;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dedup.DedupKey;
import io.dedup.DedupScope;
import io.dedup.DedupStoreException;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.jdbc.support.Messages;
import io.dedup.store.jdbc.support.OnEachDatabase;
import io.dedup.store.jdbc.support.TestDatabase;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** IDs that a database may take for one another, and those that it may not take at all. */
class KeysTest {
    private final Messages messages = new Messages();
    private TestDatabase database;

    @AfterEach
    void stop() {
        database.close();
    }

    @OnEachDatabase
    @DisplayName("T8 S8 IDs that differ by case, trailing space, NUL, accent form or width are different messages")
    void different(JdbcDialect dialect) {
        database = TestDatabase.open(dialect);
        JdbcDedupStore store = database.store();
        List<ClaimRequest> requests = Stream.of(
                        "k",
                        "K",
                        "k ",
                        "k  ",
                        "k\0",
                        "k\t",
                        "\u212a",
                        "e\u0301",
                        "\u00e9",
                        "e",
                        "ss",
                        "\u00df",
                        "k%",
                        "k_",
                        "k'",
                        "k\\",
                        "k\\'",
                        "k\"",
                        "k;--",
                        "k?",
                        "{k}",
                        "$1",
                        "k\u00a0",
                        "\ud83d\ude00")
                .map(messages::key)
                .map(Messages::claim)
                .toList();

        acquireAll(store, requests);

        for (ClaimRequest request : requests) {
            assertThat(store.find(request.key()).orElseThrow().owner()).isEqualTo(request.owner());
            assertThat(Messages.only(store.complete(List.of(Messages.complete(request))))
                            .isApplied())
                    .isTrue();
        }
        assertThat(store.claim(Messages.again(requests))).hasOnlyElementsOfType(ClaimResult.AlreadyDone.class);
    }

    @OnEachDatabase
    @DisplayName("S5 the longest keys fit, longer IDs become hashes, and none is cut into another")
    void longest(JdbcDialect dialect) {
        database = TestDatabase.open(dialect);
        JdbcDedupStore store = database.store();
        DedupScope scope = DedupScope.of("c".repeat(120), "t".repeat(125));
        List<ClaimRequest> requests = Stream.of(
                        "x".repeat(254),
                        "x".repeat(255),
                        "x".repeat(256),
                        "x".repeat(10_000),
                        "x".repeat(9_999) + "y",
                        "\u20ac".repeat(85),
                        "\u20ac".repeat(86),
                        "\ud83d\ude00".repeat(63),
                        "\ud83d\ude00".repeat(64))
                .map(id -> Messages.claim(DedupKey.of(scope, id)))
                .toList();

        acquireAll(store, requests);

        for (ClaimRequest request : requests) {
            assertThat(Messages.only(store.complete(List.of(Messages.complete(request))))
                            .isApplied())
                    .isTrue();
        }
        assertThat(database.count("SELECT count(*) FROM dedup_record")).isEqualTo(requests.size());
    }

    /** Where the session cuts silently: the server's default long ago, and still some pools' initial statement. */
    @ParameterizedTest(name = "{0}")
    @EnumSource(names = {"MARIADB", "MYSQL"})
    @DisplayName("S8 a session without strict mode cannot cut a key and claim another's record by it")
    void notStrict(JdbcDialect dialect) {
        database = TestDatabase.open(dialect);
        JdbcDedupStore store = database.closing(
                database.builder(database.pool(config -> config.setConnectionInitSql("SET sql_mode = ''")))
                        .build());
        Messages.done(store, messages.key("order-1234"));
        database.execute("ALTER TABLE dedup_record MODIFY message_id VARBINARY(10) NOT NULL"); // behind our back

        ClaimRequest cut = Messages.claim(messages.key("order-12345678"));

        assertThatThrownBy(() -> Messages.only(store.claim(List.of(cut)))).isInstanceOf(DedupStoreException.class);
        assertThat(store.claim(List.of(cut, Messages.claim(messages.key("order-12349999")))))
                .hasOnlyElementsOfType(ClaimResult.StoreError.class);
        assertThatThrownBy(database.builder()::build)
                .as("at the next start")
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("message_id")
                .hasMessageContaining("255 bytes");
    }
}

package io.dedup.ledger.scheme;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The stores of a row of the ledger, with the same timeouts for all rows. Connections are made when they are
 * asked for.
 *
 * @param row part of the names of its tables and keys
 * @param redisPorts of this machine; where proxies listen
 * @param jdbcUrl null for a row without a database
 * @param skewMillis how much the host's clock is wrong
 */
public record Stores(
        String row, List<Integer> redisPorts, @Nullable String jdbcUrl, String user, String password, long skewMillis) {
    /**
     * How long a lock, a lease or a claim lives without being renewed, for everybody. Longer than it takes the broker to
     * redeliver a dead consumer's messages, so that the redelivered messages find the lock that the dead consumer left.
     */
    public static final Duration LEASE = Duration.ofSeconds(3);

    public static final Duration REDIS_TIMEOUT = Duration.ofSeconds(1);

    /** How long records of handled messages are kept. */
    static final Duration WINDOW = Duration.ofHours(24);

    private static final int POOL = 5;
    private static final int POOL_TIMEOUT_MILLIS = 2_000;
    private static final String SOCKET_TIMEOUTS = "connectTimeout=2&socketTimeout=5&tcpKeepAlive=true";

    public String table(String name) {
        return name + "_" + row.replace('-', '_');
    }

    String key(String id) {
        return row + ":" + id;
    }

    public String redisUri() {
        return "redis://127.0.0.1:" + redisPorts.get(0);
    }

    /** A connection that comes back by itself; what cannot be sent fails. */
    RedisCommands<String, String> redis(int which) {
        RedisClient client = RedisClient.create(RedisURI.builder()
                .withHost("127.0.0.1")
                .withPort(redisPorts.get(which))
                .withTimeout(REDIS_TIMEOUT)
                .build());
        client.setOptions(ClientOptions.builder()
                .timeoutOptions(TimeoutOptions.enabled(REDIS_TIMEOUT))
                .build());
        return client.connect().sync();
    }

    RedisCommands<String, String> redis() {
        return redis(0);
    }

    /** A URL whose connections notice that nobody answers. */
    public static String withTimeouts(String jdbcUrl) {
        return jdbcUrl + (jdbcUrl.contains("?") ? "&" : "?") + SOCKET_TIMEOUTS;
    }

    public HikariDataSource pool() {
        String url = Objects.requireNonNull(jdbcUrl, "jdbcUrl");
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(withTimeouts(url));
        config.setUsername(user);
        config.setPassword(password);
        config.setMaximumPoolSize(POOL);
        config.setMinimumIdle(1);
        config.setConnectionTimeout(POOL_TIMEOUT_MILLIS);
        config.setValidationTimeout(POOL_TIMEOUT_MILLIS / 2);
        config.setInitializationFailTimeout(-1);
        return new HikariDataSource(config);
    }

    /** The host's clock as this process sees it. */
    long now() {
        return System.currentTimeMillis() + skewMillis;
    }

    static TransactionTemplate transactions(JdbcTemplate jdbc) {
        return new TransactionTemplate(new JdbcTransactionManager(Objects.requireNonNull(jdbc.getDataSource())));
    }
}

package io.dedup.ledger.consumer;

import io.dedup.ledger.plan.Row;
import io.dedup.ledger.scheme.CacheThenAct;
import io.dedup.ledger.scheme.CamelRoute;
import io.dedup.ledger.scheme.CounterThenAct;
import io.dedup.ledger.scheme.GetSetLock;
import io.dedup.ledger.scheme.InTransaction;
import io.dedup.ledger.scheme.IntegrationReceiver;
import io.dedup.ledger.scheme.LockCacheAndRow;
import io.dedup.ledger.scheme.LockRow;
import io.dedup.ledger.scheme.MarkThenAct;
import io.dedup.ledger.scheme.NoDedup;
import io.dedup.ledger.scheme.OneTimeToken;
import io.dedup.ledger.scheme.OptimisticVersion;
import io.dedup.ledger.scheme.QuorumLock;
import io.dedup.ledger.scheme.RedissonLock;
import io.dedup.ledger.scheme.Scheme;
import io.dedup.ledger.scheme.SelectForUpdate;
import io.dedup.ledger.scheme.Setnx;
import io.dedup.ledger.scheme.StatusThenAct;
import io.dedup.ledger.scheme.Stores;
import io.dedup.ledger.scheme.UniqueRow;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;

/** Which row is which scheme. */
final class Schemes {
    private Schemes() {}

    /** @param database null for a row without one */
    static Scheme of(Row row, Stores stores, @Nullable JdbcTemplate database) throws Exception {
        return row.database() ? onDatabase(row, stores, Objects.requireNonNull(database)) : onRedis(row, stores);
    }

    private static Scheme onRedis(Row row, Stores stores) throws Exception {
        return switch (row) {
            case NONE -> new NoDedup();
            case CACHE -> new CacheThenAct(stores);
            case MARK -> new MarkThenAct(stores);
            case COUNTER -> new CounterThenAct(stores);
            case TOKEN -> new OneTimeToken(stores);
            case SETNX -> new Setnx(stores, false);
            case SETNX_OWNER -> new Setnx(stores, true);
            case GETSET -> new GetSetLock(stores);
            case REDISSON -> new RedissonLock(stores);
            case QUORUM -> new QuorumLock(stores);
            case CAMEL_REDIS -> CamelRoute.redis(stores);
            default -> throw new IllegalArgumentException(row + " is no scheme");
        };
    }

    private static Scheme onDatabase(Row row, Stores stores, JdbcTemplate jdbc) throws Exception {
        return switch (row) {
            case STATUS -> new StatusThenAct(stores, jdbc);
            case LOCK_ROW -> new LockRow(stores, jdbc);
            case FOR_UPDATE -> new SelectForUpdate(stores, jdbc);
            case OPTIMISTIC -> new OptimisticVersion(stores, jdbc);
            case UNIQUE_ROW -> new UniqueRow(stores, jdbc);
            case EVERYTHING -> new LockCacheAndRow(stores, jdbc);
            case CAMEL_JDBC -> CamelRoute.jdbc(stores, jdbc);
            case CAMEL_JDBC_TX -> new InTransaction(CamelRoute.jdbc(stores, jdbc), jdbc);
            case INTEGRATION -> new IntegrationReceiver(stores, jdbc);
            case INTEGRATION_TX -> new InTransaction(new IntegrationReceiver(stores, jdbc), jdbc);
            default -> throw new IllegalArgumentException(row + " is no scheme");
        };
    }
}

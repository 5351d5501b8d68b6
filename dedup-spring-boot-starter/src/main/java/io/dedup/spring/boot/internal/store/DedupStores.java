package io.dedup.spring.boot.internal.store;

import io.dedup.spring.boot.DedupConfigurationException;
import io.dedup.spring.boot.DedupProperties;
import io.dedup.store.DedupStore;
import io.dedup.store.memory.InMemoryDedupStore;
import io.dedup.store.transaction.TransactionalRecords;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.ClassUtils;

/**
 * Where records are kept. Opened when the first listener asks for it, so that an application without listeners to
 * deduplicate needs no store. Thread-safe.
 */
public final class DedupStores implements AutoCloseable {
    private static final boolean JDBC = isPresent("io.dedup.store.jdbc.JdbcDedupStore");
    private static final boolean REDIS = isPresent("io.dedup.store.redis.RedisDedupStore");

    private final DedupProperties properties;
    private final ConfigurableListableBeanFactory beans;
    private final CloseOrder order;
    private @Nullable Opened opened;
    private @Nullable JdbcTable table;
    private boolean closed;

    /** What was opened, and whether it is ours to close. */
    private record Opened(DedupStore store, boolean own) {}

    public DedupStores(DedupProperties properties, ConfigurableListableBeanFactory beans) {
        this.properties = properties;
        this.beans = beans;
        this.order = new CloseOrder(beans);
    }

    /**
     * The store of claims, opened if need be.
     *
     * @throws DedupConfigurationException when it cannot be opened; says what to change
     */
    public synchronized DedupStore store() {
        if (closed) {
            throw new IllegalStateException("the application is closing");
        }
        if (opened == null) {
            opened = open();
        }
        return opened.store();
    }

    /**
     * For the transactional modes, opened if need be.
     *
     * @param property which setting needs it
     * @throws DedupConfigurationException when it cannot be opened; says what to change
     */
    public synchronized TransactionalRecords transactions(String property) {
        TransactionalRecords bean = bean(TransactionalRecords.class);
        if (bean != null) {
            return bean;
        }
        if (!JDBC) {
            throw new DedupConfigurationException(
                    property + " needs a table for the records, but dedup-store-jdbc isn't on the class path.",
                    "Add the dependency io.dedup:dedup-store-jdbc and a DataSource, or use mode leased.");
        }
        return table(property).transactions(property);
    }

    /** The table of records, where it was opened. */
    public synchronized @Nullable DedupStore tableOrNull() {
        return table == null ? null : table.store();
    }

    /** Whether the table was opened on a data source that chooses a database for each connection. */
    public synchronized boolean isTableRouted() {
        return table != null && table.isRouted();
    }

    /** How many connections the table's pool hands out at most; empty without a table, or where that cannot be found out. */
    public synchronized OptionalInt poolSize() {
        return table == null ? OptionalInt.empty() : table.store().maxConnections();
    }

    /** Whether the table has the claims, too. */
    public synchronized boolean isClaimedInTable() {
        return table != null && opened != null && opened.store() == table.store();
    }

    /** The store of claims, where it was opened. */
    public synchronized @Nullable DedupStore storeOrNull() {
        return opened == null ? null : opened.store();
    }

    /** Whether the store of claims is the one that {@code dedup.store} names, and not a bean of the application's. */
    public boolean isOwn() {
        return beans.getBeanNamesForType(DedupStore.class, false, false).length == 0
                && beans.getBeanNamesForType(TransactionalRecords.class, false, false).length == 0;
    }

    /** How often a completion met an overgrown bucket of packed records in Redis; 0 if there are none. */
    public long overgrownBuckets() {
        DedupStore store = storeOrNull();
        return REDIS && store != null ? RedisStores.overgrownBuckets(store) : 0;
    }

    /** The warnings of the stores that were opened. */
    public List<String> warnings() {
        return Stream.of(Optional.ofNullable(storeOrNull()), Optional.ofNullable(tableOrNull()))
                .flatMap(Optional::stream)
                .flatMap(store -> store.warnings().stream())
                .distinct()
                .toList();
    }

    private Opened open() {
        DedupStore bean = bean(DedupStore.class);
        if (bean != null) {
            return new Opened(bean, false);
        }
        return switch (type()) {
            case MEMORY -> new Opened(new InMemoryDedupStore(), true);
            case JDBC -> new Opened(table("dedup.store: jdbc").store(), false);
            case REDIS, TIERED -> new Opened(RedisStores.open(properties.getRedis(), beans, order), true);
        };
    }

    private DedupProperties.StoreType type() {
        DedupProperties.StoreType type = properties.getStore();
        if (type == null) {
            if (JDBC == REDIS) {
                throw new DedupConfigurationException(
                        "dedup.store isn't set, and the class path has "
                                + (JDBC ? "both dedup-store-jdbc and dedup-store-redis." : "no store module."),
                        JDBC
                                ? "Set dedup.store to jdbc, redis, or tiered (the table, with Redis in front)."
                                : "Add the dependency io.dedup:dedup-store-jdbc or io.dedup:dedup-store-redis. For tests and"
                                        + " demos, set dedup.store to memory.");
            }
            return JDBC ? DedupProperties.StoreType.JDBC : DedupProperties.StoreType.REDIS;
        }
        boolean needsJdbc = type == DedupProperties.StoreType.JDBC || type == DedupProperties.StoreType.TIERED;
        boolean needsRedis = type == DedupProperties.StoreType.REDIS || type == DedupProperties.StoreType.TIERED;
        if ((needsJdbc && !JDBC) || (needsRedis && !REDIS)) {
            String missing = needsJdbc && !JDBC ? "dedup-store-jdbc" : "dedup-store-redis";
            throw new DedupConfigurationException(
                    "dedup.store is " + type.name().toLowerCase(Locale.ROOT) + ", but " + missing
                            + " isn't on the class path.",
                    "Add the dependency io.dedup:" + missing + ".");
        }
        return type;
    }

    private JdbcTable table(String because) {
        if (table == null) {
            table = JdbcTable.open(properties.getJdbc(), beans, order, because);
        }
        return table;
    }

    /** The application's bean of that type, which is closed after this; null when it has none. */
    private <T> @Nullable T bean(Class<T> type) {
        ObjectProvider<T> provider = beans.getBeanProvider(type);
        T bean = provider.getIfAvailable();
        if (bean != null) {
            order.closeAfterStores(bean);
        }
        return bean;
    }

    private static boolean isPresent(String className) {
        return ClassUtils.isPresent(className, DedupStores.class.getClassLoader());
    }

    /** Closes what was opened here; data sources and beans of the application stay open. */
    @Override
    public synchronized void close() {
        closed = true;
        if (opened != null && opened.own()) {
            opened.store().close();
        }
        if (table != null) {
            table.store().close();
        }
    }
}

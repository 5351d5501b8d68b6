package io.dedup.store.jdbc.internal.connection;

import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The maximum number of connections of a pool, if the pool is a known one. Pools are the user's choice and none is a
 * dependency of this module, so they are accessed by the names of their classes and methods.
 *
 * @param setting the name of the pool and of its setting
 */
public record PoolSize(int connections, String setting) {
    /** With fewer, the heartbeat must not keep a connection: at most one would be left for everything else. */
    private static final int ENOUGH_TO_KEEP_ONE = 3;

    /**
     * For one consumer thread in a transactional mode: its transaction, one more connection, the heartbeat and the
     * purge.
     */
    private static final int ENOUGH_FOR_ONE_THREAD = 4;

    private static final Logger log = LoggerFactory.getLogger(PoolSize.class);

    /** Each pool's class, its getter and the name of its setting. */
    private static final Map<String, List<String>> POOLS = pools();

    private static Map<String, List<String>> pools() {
        Map<String, List<String>> pools = new LinkedHashMap<>();
        pools.put("com.zaxxer.hikari.HikariDataSource", List.of("getMaximumPoolSize", "HikariCP: maximumPoolSize"));
        pools.put("org.apache.tomcat.jdbc.pool.DataSource", List.of("getMaxActive", "Tomcat JDBC Pool: maxActive"));
        pools.put("org.apache.commons.dbcp2.BasicDataSource", List.of("getMaxTotal", "Commons DBCP2: maxTotal"));
        pools.put("oracle.ucp.jdbc.PoolDataSource", List.of("getMaxPoolSize", "UCP: maxPoolSize"));
        pools.put("com.mchange.v2.c3p0.ComboPooledDataSource", List.of("getMaxPoolSize", "c3p0: maxPoolSize"));
        return pools;
    }

    /** The size of a pool; null if the pool is unknown or has no limit. */
    public static @Nullable PoolSize of(DataSource dataSource) {
        DataSource target = DataSources.target(dataSource);
        for (Map.Entry<String, List<String>> pool : POOLS.entrySet()) {
            try {
                ClassLoader loader = target.getClass().getClassLoader();
                Class<?> type =
                        Class.forName(pool.getKey(), false, loader == null ? PoolSize.class.getClassLoader() : loader);
                Object found =
                        type.isInstance(target) ? target : target.isWrapperFor(type) ? target.unwrap(type) : null;
                if (found != null) {
                    Object size = type.getMethod(pool.getValue().get(0)).invoke(found);
                    return size instanceof Integer max && max > 0
                            ? new PoolSize(max, pool.getValue().get(1))
                            : null;
                }
            } catch (ClassNotFoundException e) {
                log.trace("{} is not on the class path", pool.getKey());
            } catch (ReflectiveOperationException | SQLException | RuntimeException | LinkageError e) {
                log.debug("The size of a pool cannot be found out", e);
            }
        }
        return null;
    }

    /** Whether the heartbeat can keep a connection and leave enough for others. */
    public boolean isEnoughToKeepOne() {
        return connections >= ENOUGH_TO_KEEP_ONE;
    }

    /** A warning if the pool is too small even for one consumer thread. */
    public List<String> warnings() {
        if (connections >= ENOUGH_FOR_ONE_THREAD) {
            return List.of();
        }
        return List.of("The connection pool is too small: it has at most " + connections
                + (connections == 1 ? " connection (" : " connections (") + setting
                + "). One consumer thread needs up to 5 in"
                + " mode LEASED and " + ENOUGH_FOR_ONE_THREAD
                + " in the transactional modes; each further thread needs 3 or 2 more."
                + " With fewer, claims and lease renewals wait for each other and fail after the pool's connection timeout."
                + " Raise " + setting.substring(setting.indexOf(": ") + 2));
    }
}

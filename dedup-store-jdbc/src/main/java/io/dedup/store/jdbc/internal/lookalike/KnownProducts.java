package io.dedup.store.jdbc.internal.lookalike;

import io.dedup.store.jdbc.internal.sql.Database;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * The servers that speak PostgreSQL's or MySQL's protocol, by what they say of themselves: {@code version()}, and
 * {@code @@version_comment} on relatives of MySQL. A driver's metadata isn't enough, because there they often report the
 * product and version that they imitate.
 */
final class KnownProducts {
    private static final String NO_UNIQUE_KEYS =
            "it doesn't enforce a unique key at each insert, so two consumers could claim the same message";
    private static final String OTHER_UPSERT = "it lacks INSERT ... ON CONFLICT, which every claim uses";

    private static final List<ServerProduct> NAMES = List.of(
            ServerProduct.asked("CockroachDB"),
            ServerProduct.asked("Greenplum"),
            ServerProduct.asked("EnterpriseDB"),
            ServerProduct.refused("Redshift", NO_UNIQUE_KEYS),
            ServerProduct.refused("CrateDB", NO_UNIQUE_KEYS),
            ServerProduct.refused("QuestDB", NO_UNIQUE_KEYS),
            ServerProduct.refused("Materialize", NO_UNIQUE_KEYS),
            ServerProduct.refused("RisingWave", NO_UNIQUE_KEYS),
            ServerProduct.refused("openGauss", OTHER_UPSERT),
            ServerProduct.refused("GaussDB", OTHER_UPSERT),
            ServerProduct.asked("TiDB"),
            ServerProduct.asked("OceanBase"),
            ServerProduct.asked("Vitess"),
            ServerProduct.asked("PolarDB"),
            ServerProduct.asked("Xpand"),
            ServerProduct.refused("SingleStore", NO_UNIQUE_KEYS),
            ServerProduct.refused("MemSQL", NO_UNIQUE_KEYS),
            ServerProduct.refused("StarRocks", NO_UNIQUE_KEYS),
            ServerProduct.refused("Doris", NO_UNIQUE_KEYS),
            ServerProduct.refused("Databend", NO_UNIQUE_KEYS),
            ServerProduct.refused("ClickHouse", NO_UNIQUE_KEYS));

    /** PostgreSQL's own, also as packaged by distributions: "PostgreSQL 17.2 (Debian 17.2-1) on x86_64, compiled by gcc, 64-bit". */
    private static final Pattern POSTGRESQL = Pattern.compile(
            "PostgreSQL \\d+(\\.\\d+)*((beta|rc|devel)\\d*)?( \\([^)]*\\))?( on [^,]+)?, compiled by .+, \\d\\d-bit");

    private static final Pattern YUGABYTE = Pattern.compile("PostgreSQL [\\d.]+-YB-.*");

    private KnownProducts() {}

    /** @param words what the server says of itself */
    static ServerProduct of(Database database, String words) {
        String lower = words.toLowerCase(Locale.ROOT);
        for (ServerProduct product : NAMES) {
            if (lower.contains(product.name().toLowerCase(Locale.ROOT))) {
                return product;
            }
        }
        if (YUGABYTE.matcher(words).matches()) {
            return ServerProduct.asked("YugabyteDB");
        }
        if (database == Database.POSTGRESQL) {
            return POSTGRESQL.matcher(words).matches()
                    ? ServerProduct.tested("PostgreSQL")
                    : ServerProduct.asked("\"" + words + "\"");
        }
        return lower.contains("mariadb") ? ServerProduct.tested("MariaDB") : ServerProduct.asked("MySQL");
    }
}

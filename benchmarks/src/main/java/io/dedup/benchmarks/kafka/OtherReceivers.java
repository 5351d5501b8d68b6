package io.dedup.benchmarks.kafka;

import com.zaxxer.hikari.HikariDataSource;
import io.dedup.ledger.scheme.CamelRoute;
import io.dedup.ledger.scheme.IntegrationReceiver;
import io.dedup.ledger.scheme.Scheme;
import io.dedup.ledger.scheme.Stores;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.jdbc.core.JdbcTemplate;

/** Idempotent receivers of other libraries, with their defaults, by name; each run has separate keys or a separate table. */
public final class OtherReceivers {
    private OtherReceivers() {}

    /** Makes one. */
    public interface Maker {
        /** @param run a name that no other run has: letters, digits and minus signs */
        Scheme make(String run) throws Exception;
    }

    /** Those that keep their memory in this Redis. */
    public static Map<String, Maker> onRedis(int port) {
        return Map.of("Camel", run -> CamelRoute.redis(new Stores(run, List.of(port), null, "", "", 0)));
    }

    /** Those that keep their memory in this database. */
    public static Map<String, Maker> onDatabase(HikariDataSource database) {
        Map<String, Maker> makers = new LinkedHashMap<>();
        makers.put("Camel", run -> {
            Stores stores = stores(run);
            JdbcTemplate jdbc = new JdbcTemplate(database);
            jdbc.execute("CREATE TABLE " + stores.table("camel") + CamelRoute.COLUMNS);
            return CamelRoute.jdbc(stores, jdbc);
        });
        makers.put("Spring Integration", run -> {
            Stores stores = stores(run);
            JdbcTemplate jdbc = new JdbcTemplate(database);
            jdbc.execute(
                    "CREATE TABLE " + stores.table("int") + IntegrationReceiver.TABLE + IntegrationReceiver.COLUMNS);
            return new IntegrationReceiver(stores, jdbc);
        });
        return makers;
    }

    private static Stores stores(String run) {
        return new Stores(run, List.of(), null, "", "", 0);
    }
}

package io.dedup.store.jdbc.internal.intermediary;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * Refuses a Galera cluster whose nodes may answer before they have applied what other nodes have committed. A completion on such a
 * node doesn't find the claim and counts as lost: the message was handled and acknowledged, but its record isn't DONE, and a copy
 * is handled again when the lease is over.
 */
public final class GaleraCluster {
    private static final String VARIABLES =
            "SHOW VARIABLES WHERE Variable_name IN ('wsrep_on', 'wsrep_provider', 'wsrep_sync_wait')";

    /** SELECT and BEGIN; UPDATE and DELETE; INSERT. */
    private static final int NEEDED = 1 | 2 | 4;

    private GaleraCluster() {}

    /**
     * Asks MySQL or MariaDB. Takes a round trip.
     *
     * @throws IllegalStateException if it is a node of a cluster and its sessions don't wait for other nodes' writes
     */
    public static void check(Connection connection) throws SQLException {
        Map<String, String> found = new HashMap<>();
        try (PreparedStatement statement = connection.prepareStatement(VARIABLES);
                ResultSet result = statement.executeQuery()) {
            while (result.next()) {
                found.put(result.getString(1).toLowerCase(Locale.ROOT), result.getString(2));
            }
        }
        if (isNode(found) && (waits(found) & NEEDED) != NEEDED) {
            throw new IllegalStateException(
                    "The server is a node of a Galera cluster, and its sessions don't wait for what other nodes have"
                            + " committed (wsrep_sync_wait = " + waits(found)
                            + "): a completion on another node than the"
                            + " claim's would not find the claim, and the message would be handled again. Set"
                            + " wsrep_sync_wait = " + NEEDED + " for all connections (JDBC URL:"
                            + " sessionVariables=wsrep_sync_wait=" + NEEDED + ")");
        }
    }

    private static boolean isNode(Map<String, String> variables) {
        return "ON".equalsIgnoreCase(variables.get("wsrep_on"))
                && !"none".equalsIgnoreCase(variables.getOrDefault("wsrep_provider", "none"));
    }

    private static int waits(Map<String, String> variables) {
        return Integer.parseInt(variables.getOrDefault("wsrep_sync_wait", "0"));
    }
}

package io.dedup.failover.sql;

/** How clients find the primary. */
enum Address {
    /** One address that is moved to the new primary, as a virtual IP address or a proxy does. */
    MOVED,
    /** All servers are in the JDBC URL, and the driver looks for the server that accepts writes. */
    ALL_SERVERS
}

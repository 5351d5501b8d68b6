package io.dedup.store.jdbc.internal.sql;

/** The databases whose SQL, error codes and schema the store knows. */
public enum Database {
    POSTGRESQL("schema-postgresql.sql"),
    MARIADB("schema-mysql.sql"),
    MYSQL("schema-mysql.sql"),
    H2("schema-h2.sql"),
    /** Any other database, or one of the above that the connection's metadata does not identify. */
    GENERIC("schema-generic.sql");

    private static final String RESOURCES = "io/dedup/store/jdbc/";

    private final String schema;

    Database(String schema) {
        this.schema = schema;
    }

    /** The class path resource that creates the table with plain keys. */
    public String schemaResource() {
        return RESOURCES + schema;
    }

    /** The class path resource that creates the table for a format of keys. */
    public String schemaResource(KeyFormat keys) {
        String resource = schemaResource();
        return keys == KeyFormat.PLAIN ? resource : resource.replace(".sql", "-digest.sql");
    }

    /** The class path resource that upgrades the table to a version of the schema. */
    public String upgradeResource(int version) {
        return RESOURCES + "upgrade-" + (this == POSTGRESQL ? "postgresql" : "mysql") + "-" + version + ".sql";
    }

    public boolean isMySqlOrMariaDb() {
        return this == MYSQL || this == MARIADB;
    }

    public boolean maybeMySqlOrMariaDb() {
        return isMySqlOrMariaDb() || this == GENERIC;
    }

    public boolean maybeH2() {
        return this == H2 || this == GENERIC;
    }
}

package io.dedup.spring.boot.internal.store;

import io.dedup.spring.boot.DedupConfigurationException;
import io.dedup.spring.boot.internal.text.YamlNames;
import java.sql.SQLException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reports at start why the table cannot be used: in the database's own words, with advice that fits the cause. */
final class DatabaseFailure {
    private static final String WRONG_LOGIN = "28";
    private static final String NO_CONNECTION = "08";
    private static final Set<String> NO_DATABASE = Set.of("3D000", "90013", "90146");
    private static final int MYSQL_UNKNOWN_DATABASE = 1049;
    private static final Set<Integer> MYSQL_WRONG_LOGIN = Set.of(1044, 1045, 1698);
    private static final int H2_WRONG_LOGIN = 28000;
    private static final Set<String> NO_TABLE = Set.of("42P01", "42S02", "42S03", "42S04", "3F000");
    private static final int H2_NO_SCHEMA = 90079;

    private DatabaseFailure() {}

    /**
     * The report.
     *
     * @param dataSourceBean the bean that dedup.jdbc.data-source names; null when it names none
     */
    static DedupConfigurationException of(RuntimeException failure, @Nullable String dataSourceBean) {
        SQLException cause = CauseChain.last(failure, SQLException.class, each -> each.getSQLState() != null);
        String settings = dataSourceBean == null ? "spring.datasource." : "";
        String ofBean = dataSourceBean == null ? "" : " of the DataSource bean " + dataSourceBean;
        if (cause != null && isWrongLogin(cause)) {
            return unreachable(
                    failure, cause, "Check " + settings + "username and " + settings + "password" + ofBean + ".");
        }
        if (cause != null && isNoDatabase(cause)) {
            return unreachable(failure, cause, "Check the database's name in " + settings + "url" + ofBean + ".");
        }
        if (cause != null && cause.getSQLState().startsWith(NO_CONNECTION)) {
            return unreachable(
                    failure,
                    cause,
                    "Check " + settings + "url" + ofBean + ", and that the database accepts connections.");
        }
        String message = YamlNames.inYaml(String.valueOf(failure.getMessage()));
        return new DedupConfigurationException(
                "Cannot use the deduplication table: " + message + ownWords(message, cause),
                cause != null && isNoTable(cause)
                        ? "Let your migrations run the script named above, which is in the jar of dedup-store-jdbc. Or set"
                                + " dedup.jdbc.initialize-schema: always."
                        : "Change what the message says. The settings of the table are under dedup.jdbc.",
                failure);
    }

    private static DedupConfigurationException unreachable(
            RuntimeException failure, SQLException cause, String action) {
        return new DedupConfigurationException(
                "Cannot connect to the deduplication store: " + CauseChain.words(cause) + " (SQLState "
                        + cause.getSQLState() + ").",
                action,
                failure);
    }

    /** The store's message may have them already. */
    private static String ownWords(String message, @Nullable SQLException cause) {
        if (cause == null || message.contains(CauseChain.words(cause))) {
            return "";
        }
        return " (the database says: " + CauseChain.words(cause) + ")";
    }

    private static boolean isWrongLogin(SQLException cause) {
        return cause.getSQLState().startsWith(WRONG_LOGIN)
                || MYSQL_WRONG_LOGIN.contains(cause.getErrorCode())
                || cause.getErrorCode() == H2_WRONG_LOGIN;
    }

    private static boolean isNoTable(SQLException cause) {
        return NO_TABLE.contains(cause.getSQLState()) || cause.getErrorCode() == H2_NO_SCHEMA;
    }

    private static boolean isNoDatabase(SQLException cause) {
        return NO_DATABASE.contains(cause.getSQLState()) || cause.getErrorCode() == MYSQL_UNKNOWN_DATABASE;
    }
}

package io.dedup.spring.boot.internal.store;

import io.dedup.spring.boot.DedupConfigurationException;
import io.dedup.spring.boot.internal.text.YamlNames;
import java.sql.SQLException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reports at start why the table of records can't be used: in the database's own words, with advice that fits them. */
final class DatabaseFailure {
    private static final String WRONG_LOGIN = "28";
    private static final String NO_CONNECTION = "08";
    private static final Set<String> NO_DATABASE = Set.of("3D000", "90013", "90146");
    private static final int MYSQL_UNKNOWN_DATABASE = 1049;
    private static final Set<Integer> MYSQL_WRONG_LOGIN = Set.of(1044, 1045, 1698);
    private static final int H2_WRONG_LOGIN = 28000;
    private static final String MISSING_TABLE = "Settings are under dedup.jdbc. Where the table is missing: let your"
            + " migrations run the script that is named above (it is in the jar of dedup-store-jdbc), or set"
            + " dedup.jdbc.initialize-schema to always.";

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
                "the table of records can't be used: " + message + ownWords(message, cause), MISSING_TABLE, failure);
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

    private static boolean isNoDatabase(SQLException cause) {
        return NO_DATABASE.contains(cause.getSQLState()) || cause.getErrorCode() == MYSQL_UNKNOWN_DATABASE;
    }
}

package io.dedup.tools;

import io.dedup.migration.ImportedId;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.util.Iterator;
import java.util.Locale;
import java.util.NoSuchElementException;
import java.util.Spliterators;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/** The rows of a query, which the driver fetches in portions. */
final class JdbcSource implements ImportSource {
    private static final int PORTION = 10_000;

    private final Connection connection;
    private final String query;
    private final @Nullable ZoneId zone;

    JdbcSource(String url, @Nullable String user, String query, @Nullable ZoneId zone) {
        this.query = query;
        this.zone = zone;
        try {
            this.connection = DriverManager.getConnection(url, user, System.getenv("DEDUP_SOURCE_PASSWORD"));
            connection.setReadOnly(true);
            connection.setAutoCommit(false); // or PostgreSQL's driver would fetch everything at once
        } catch (SQLException e) {
            throw new SourceException("Cannot connect to the source", e);
        }
    }

    @Override
    public Stream<ImportedId> ids() {
        try {
            Rows rows = new Rows();
            return StreamSupport.stream(Spliterators.spliteratorUnknownSize(rows, 0), false)
                    .onClose(rows::close);
        } catch (SQLException e) {
            throw new SourceException("The query failed", e);
        }
    }

    @Override
    public double fraction() {
        return -1;
    }

    @Override
    public void close() {
        try {
            connection.rollback();
            connection.close();
        } catch (SQLException e) {
            throw new SourceException("Cannot close the source", e);
        }
    }

    private final class Rows implements Iterator<ImportedId> {
        private final PreparedStatement statement;
        private final ResultSet result;
        private final int columns;
        private final boolean zoned;
        private final boolean plain;
        private boolean ready;
        private boolean more;

        @SuppressWarnings("SqlSourceToSinkFlow") // the operator's own query
        Rows() throws SQLException {
            statement = connection.prepareStatement(query);
            statement.setFetchSize(PORTION);
            result = statement.executeQuery();
            ResultSetMetaData data = result.getMetaData();
            columns = data.getColumnCount();
            if (columns < 2 || columns > 3) {
                throw new SQLException(
                        "it returns " + columns + " columns instead of ID, completion time and maybe result");
            }
            int type = data.getColumnType(2);
            String name = data.getColumnTypeName(2).toLowerCase(Locale.ROOT);
            zoned = type == Types.TIMESTAMP_WITH_TIMEZONE || name.equals("timestamptz");
            plain = !zoned && (type == Types.TIMESTAMP || type == Types.DATE);
            if (plain && zone == null) {
                throw new SQLException(
                        "the completion time has no time zone: set --zone, or return milliseconds since 1970");
            }
        }

        @Override
        public boolean hasNext() {
            if (!ready) {
                try {
                    more = result.next();
                } catch (SQLException e) {
                    throw new SourceException("Cannot read the next row", e);
                }
                ready = true;
            }
            return more;
        }

        @Override
        public ImportedId next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            ready = false;
            try {
                return new ImportedId(result.getString(1), time(), columns > 2 ? result.getBytes(3) : null);
            } catch (SQLException e) {
                throw new SourceException("Cannot read a row", e);
            }
        }

        private @Nullable Instant time() throws SQLException {
            if (zoned) {
                OffsetDateTime time = result.getObject(2, OffsetDateTime.class);
                return time == null ? null : time.toInstant();
            }
            if (plain && zone != null) {
                LocalDateTime time = result.getObject(2, LocalDateTime.class);
                return time == null ? null : time.atZone(zone).toInstant();
            }
            String text = result.getString(2);
            return text == null ? null : CompletionTimes.parse(text);
        }

        void close() {
            try {
                statement.close();
            } catch (SQLException e) {
                throw new SourceException("Cannot close the query", e);
            }
        }
    }
}

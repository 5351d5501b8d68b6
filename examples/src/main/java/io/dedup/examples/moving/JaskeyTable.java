package io.dedup.examples.moving;

import io.dedup.migration.ImportedId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.JdbcTemplate;

// docs:begin jaskey-table
/** The table of RocketMQDedupListener. It tells a running handler from a success, so the bridge needs no mark of its own. */
public final class JaskeyTable implements OldScheme {
    private static final String KEY = " WHERE application_name = ? AND topic = ? AND tag = ? AND msg_uniq_key = ?";

    private final JdbcTemplate jdbc;
    private final String application;
    private final String topic;
    private final String tag;
    private final Duration processing;
    private final Duration reserve;

    /**
     * @param tag empty for none
     * @param processing its {@code dedupProcessingExpireMilliSeconds}
     * @param reserve its {@code dedupRecordReserveMinutes}
     */
    public JaskeyTable(
            JdbcTemplate jdbc, String application, String topic, String tag, Duration processing, Duration reserve) {
        this.jdbc = jdbc;
        this.application = application;
        this.topic = topic;
        this.tag = tag;
        this.processing = processing;
        this.reserve = reserve;
    }

    @Override
    public Entry claim(String id) {
        long now = System.currentTimeMillis();
        jdbc.update("DELETE FROM t_rocketmq_dedup" + KEY + " AND expire_time < ?", application, topic, tag, id, now);
        try {
            jdbc.update(
                    "INSERT INTO t_rocketmq_dedup (application_name, topic, tag, msg_uniq_key, status, expire_time)"
                            + " VALUES (?, ?, ?, ?, 'CONSUMING', ?)",
                    application,
                    topic,
                    tag,
                    id,
                    now + processing.toMillis());
            return Entry.NEW;
        } catch (DuplicateKeyException e) {
            List<String> status = jdbc.queryForList(
                    "SELECT status FROM t_rocketmq_dedup" + KEY, String.class, application, topic, tag, id);
            return status.contains("CONSUMED") ? Entry.KNOWN : Entry.RUNNING;
        }
    }

    @Override
    public void done(String id) {
        jdbc.update(
                "UPDATE t_rocketmq_dedup SET status = 'CONSUMED', expire_time = ?" + KEY,
                System.currentTimeMillis() + reserve.toMillis(),
                application,
                topic,
                tag,
                id);
    }

    @Override
    public void failed(String id) {
        jdbc.update("DELETE FROM t_rocketmq_dedup" + KEY, application, topic, tag, id);
    }

    @Override
    public Stream<ImportedId> handled() {
        return jdbc.queryForStream(
                "SELECT msg_uniq_key, expire_time FROM t_rocketmq_dedup"
                        + " WHERE application_name = ? AND topic = ? AND tag = ? AND status = 'CONSUMED'",
                (row, number) -> ImportedId.of(
                        row.getString(1), Instant.ofEpochMilli(row.getLong(2)).minus(reserve)),
                application,
                topic,
                tag);
    }
}
// docs:end

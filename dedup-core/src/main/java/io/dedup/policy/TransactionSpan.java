package io.dedup.policy;

/**
 * What one transaction of mode {@link DedupMode#TRANSACTIONAL} spans, for listeners of single Kafka records. Whatever it spans, no
 * offset is committed before it.
 *
 * @since 0.1.0
 */
public enum TransactionSpan {
    /** Each record has a transaction of its own. The default. */
    RECORD,
    /**
     * Several records of a poll share one: their records are written with one statement, their handlers run one after the
     * other, and one commit ends them all. If one fails, everything is rolled back, and the handlers before it run again;
     * the one that failed then runs in a transaction of its own. So effects outside of the database may happen more often than
     * with {@link #RECORD}.
     */
    POLL
}

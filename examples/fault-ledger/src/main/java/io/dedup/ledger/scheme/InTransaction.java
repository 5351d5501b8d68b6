package io.dedup.ledger.scheme;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;

/** Another scheme, with a transaction around it and the effect. */
public final class InTransaction implements Scheme {
    private final Scheme scheme;
    private final TransactionTemplate transactions;

    public InTransaction(Scheme scheme, JdbcTemplate jdbc) {
        this.scheme = scheme;
        this.transactions = Stores.transactions(jdbc);
    }

    @Override
    public void handle(String id, Runnable effect) {
        transactions.executeWithoutResult(transaction -> {
            try {
                scheme.handle(id, effect);
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
    }

    @Override
    public void close() {
        scheme.close();
    }
}

package io.dedup.benchmarks.kafka;

import com.zaxxer.hikari.HikariDataSource;
import io.dedup.engine.DeduplicatorBuilder;
import io.dedup.engine.Deduplicators;
import io.dedup.ledger.scheme.Scheme;
import io.dedup.policy.DedupMode;
import io.dedup.policy.DedupPolicy;
import io.dedup.policy.TransactionSpan;
import io.dedup.store.jdbc.JdbcDedupStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.kafka.listener.BatchMessageListener;
import org.springframework.kafka.listener.GenericMessageListener;
import org.springframework.kafka.listener.MessageListener;
import org.springframework.transaction.support.TransactionTemplate;

/** Listeners whose effect is a row in the transaction that also deduplicates, by name; on PostgreSQL. */
public final class TransactionalListeners {
    private final ListenerBench bench;
    private final JdbcDedupStore store;
    private final JdbcTransactionManager manager;
    private final TransactionTemplate transactions;
    private final BusinessTable table;

    public TransactionalListeners(ListenerBench bench, HikariDataSource pool, JdbcDedupStore store) {
        this.bench = bench;
        this.store = store;
        this.manager = new JdbcTransactionManager(pool);
        this.transactions = new TransactionTemplate(manager);
        this.table = new BusinessTable(pool);
    }

    /** All of them, with receivers of others. */
    public Map<String, ListenerContender> contenders(Map<String, OtherReceivers.Maker> others) {
        Map<String, ListenerContender> contenders = new LinkedHashMap<>();
        contenders.put(ListenerNames.NO_DEDUP, handler -> plain(bench.newGroup(), single(handler), true));
        contenders.put(ListenerNames.NO_DEDUP_BATCH, handler -> plain(bench.newGroup(), batch(handler), true));
        contenders.put(ListenerNames.BY_HAND, this::byHand);
        contenders.put(ListenerNames.BY_HAND_BATCH, this::byHandInBatches);
        contenders.put(ListenerNames.SINGLE, handler -> dedup(TransactionSpan.RECORD, effect(handler)));
        contenders.put(ListenerNames.POLL, handler -> dedup(TransactionSpan.POLL, effect(handler)));
        contenders.put(ListenerNames.BATCH, handler -> dedup(TransactionSpan.RECORD, batchEffect(handler)));
        others.forEach((name, maker) -> contenders.put(name, handler -> other(maker, handler)));
        return contenders;
    }

    private double plain(String group, GenericMessageListener<?> listener, boolean doubles) {
        table.clear();
        double rate = bench.plain(group, listener);
        return checked(rate, doubles);
    }

    private double checked(double rate, boolean doubles) {
        if (!doubles && table.doubled() > 0) {
            throw new IllegalStateException("a message took effect twice");
        }
        return rate;
    }

    private MessageListener<String, String> effect(Duration handler) {
        return record -> pay(record.key(), handler);
    }

    private BatchMessageListener<String, String> batchEffect(Duration handler) {
        return records -> payAll(records.stream().map(ConsumerRecord::key).toList(), handler);
    }

    private MessageListener<String, String> single(Duration handler) {
        return record -> transactions.executeWithoutResult(status -> pay(record.key(), handler));
    }

    private BatchMessageListener<String, String> batch(Duration handler) {
        BatchMessageListener<String, String> effect = batchEffect(handler);
        return records -> transactions.executeWithoutResult(status -> effect.onMessage(records));
    }

    private double byHand(Duration handler) {
        MessageListener<String, String> listener = record -> transactions.executeWithoutResult(status -> {
            if (table.isNew(record.key())) {
                pay(record.key(), handler);
            }
        });
        return plain(bench.newGroup(), listener, false);
    }

    private double byHandInBatches(Duration handler) {
        BatchMessageListener<String, String> listener = records -> transactions.executeWithoutResult(status -> {
            Set<String> ids = new LinkedHashSet<>(2 * records.size());
            records.forEach(record -> ids.add(record.key()));
            payAll(table.newOf(ids), handler);
        });
        return plain(bench.newGroup(), listener, false);
    }

    private double dedup(TransactionSpan span, GenericMessageListener<?> listener) {
        table.clear();
        DeduplicatorBuilder settings = Deduplicators.builder(store)
                .transactions(store.transactions(manager))
                .defaults(DedupPolicy.defaults().toBuilder()
                        .mode(DedupMode.TRANSACTIONAL)
                        .transaction(span)
                        .build());
        double rate = span == TransactionSpan.POLL
                ? bench.deduplicatedWithoutInterceptors(bench.newGroup(), settings, listener)
                : bench.deduplicated(bench.newGroup(), settings, true, listener);
        return checked(rate, false);
    }

    private double other(OtherReceivers.Maker maker, Duration handler) {
        String group = bench.newGroup();
        try (Scheme receiver = maker.make(group)) {
            MessageListener<String, String> listener = record -> transactions.executeWithoutResult(status -> {
                try {
                    receiver.handle(record.key(), () -> pay(record.key(), handler));
                } catch (Exception e) {
                    throw new IllegalStateException("not handled", e);
                }
            });
            return plain(group, listener, false);
        } catch (Exception e) {
            throw new IllegalStateException("a receiver cannot be measured", e);
        }
    }

    private void pay(String id, Duration handler) {
        ListenerBench.take(handler);
        table.insert(id);
    }

    private void payAll(Collection<String> ids, Duration handler) {
        ids.forEach(id -> ListenerBench.take(handler));
        table.insertAll(new ArrayList<>(ids));
    }
}

package io.dedup.ledger.applications.consumer;

import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.ledger.applications.plan.Text;
import io.dedup.ledger.consumer.CountingClient;
import io.dedup.ledger.consumer.SimulatedHandler;
import io.dedup.ledger.plan.Message;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.beans.factory.annotation.Value;

/** What every row's handler does, and the attempts that dedup reports: not every handler is given its own. */
final class Handling implements DedupListener {
    private final Map<String, Integer> attempts = new ConcurrentHashMap<>();
    private final SimulatedHandler handler;

    Handling(@Value("${ledger.row}") String row, @Value("${ledger.effects}") int port) {
        handler = new SimulatedHandler(new CountingClient(port, row)::count, false);
    }

    @Override
    public void acquired(DedupKey key, int attempt) {
        attempts.put(key.messageId(), attempt);
    }

    void handle(String text) {
        Message message = Text.message(text);
        handler.run(message, attempts.getOrDefault(message.id(), 0));
    }
}

package io.dedup.ledger.rocketmq.run;

import io.dedup.ledger.rocketmq.consumer.Assignment;
import io.dedup.ledger.rocketmq.plan.RocketRow;
import io.dedup.ledger.rocketmq.plan.Traffic;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.rocketmq.client.apis.ClientConfiguration;
import org.apache.rocketmq.client.apis.ClientException;
import org.apache.rocketmq.client.apis.ClientServiceProvider;
import org.apache.rocketmq.client.apis.message.Message;
import org.apache.rocketmq.client.apis.message.MessageBuilder;
import org.apache.rocketmq.client.apis.producer.Producer;
import org.apache.rocketmq.client.apis.producer.SendReceipt;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The producer: sends the same to every row, until the broker has it. Used by one thread at a time. */
final class Sender implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Sender.class);
    private static final ClientServiceProvider CLIENT = ClientServiceProvider.loadService();
    private static final Duration REQUEST = Duration.ofSeconds(10);
    private static final Duration LIMIT = Duration.ofMinutes(10);
    private static final long RETRY_MILLIS = 300;

    private record Copy(RocketRow row, String id, Message message) {}

    private final String run;
    private final Collection<RocketRow> rows;
    private final Producer producer;
    private final Map<String, Long> firstSent = new ConcurrentHashMap<>();
    private final Map<RocketRow, Map<String, String>> copies = new HashMap<>();

    Sender(String endpoints, String run, Collection<RocketRow> rows) throws ClientException {
        this.run = run;
        this.rows = rows;
        this.producer = CLIENT.newProducerBuilder()
                .setClientConfiguration(ClientConfiguration.newBuilder()
                        .setEndpoints(endpoints)
                        .enableSsl(false)
                        .setRequestTimeout(REQUEST)
                        .build())
                .setTopics(rows.stream().map(row -> Assignment.topic(run, row)).toArray(String[]::new))
                .build();
        rows.forEach(row -> copies.put(row, new ConcurrentHashMap<>()));
    }

    /** In this order, with these gaps; returns when the broker has everything. */
    void send(List<Traffic.Send> chunk) throws InterruptedException {
        List<CompletableFuture<Void>> sending = new ArrayList<>();
        List<Copy> refused = new ArrayList<>();
        for (Traffic.Send send : chunk) {
            TimeUnit.MILLISECONDS.sleep(send.gapMillis());
            firstSent.putIfAbsent(send.message().id(), System.currentTimeMillis());
            for (RocketRow row : rows) {
                send(new Copy(row, send.message().id(), message(row, send)), sending, refused);
            }
        }
        long until = System.nanoTime() + LIMIT.toNanos();
        while (true) {
            await(sending);
            List<Copy> again;
            synchronized (refused) {
                again = List.copyOf(refused);
                refused.clear();
            }
            if (again.isEmpty()) {
                return;
            }
            if (System.nanoTime() - until > 0) {
                throw new IllegalStateException("the broker doesn't take " + again.size() + " messages");
            }
            sending.clear();
            TimeUnit.MILLISECONDS.sleep(RETRY_MILLIS);
            again.forEach(copy -> send(copy, sending, refused));
        }
    }

    private void send(Copy copy, List<CompletableFuture<Void>> sending, List<Copy> refused) {
        sending.add(producer.sendAsync(copy.message()).handle((receipt, failure) -> {
            if (failure == null) {
                sent(copy, receipt);
            } else {
                log.debug("sent again: {}", copy.id(), failure);
                synchronized (refused) {
                    refused.add(copy);
                }
            }
            return null;
        }));
    }

    private void sent(Copy copy, SendReceipt receipt) {
        copies(copy.row()).put(receipt.getMessageId().toString(), copy.id());
    }

    private static void await(List<CompletableFuture<Void>> sending) {
        try {
            CompletableFuture.allOf(sending.toArray(CompletableFuture[]::new)).join();
        } catch (CompletionException e) {
            throw new IllegalStateException(e);
        }
    }

    private Message message(RocketRow row, Traffic.Send send) {
        MessageBuilder builder = CLIENT.newMessageBuilder()
                .setTopic(Assignment.topic(run, row))
                .setBody(send.message().value().getBytes(StandardCharsets.UTF_8))
                .addProperty("id", send.message().id());
        if (row.client().lanes()) {
            builder.setMessageGroup("lane" + send.lane());
        }
        return builder.build();
    }

    /** By this host's clock. */
    long firstSent(String id) {
        return firstSent.getOrDefault(id, 0L);
    }

    /** The IDs of messages, by the broker's IDs of their copies. */
    Map<String, String> copies(RocketRow row) {
        return copies.getOrDefault(row, Map.of());
    }

    @Override
    public void close() throws IOException {
        producer.close();
    }
}

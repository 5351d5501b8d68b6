package io.dedup.simulation.rocketmq;

import io.dedup.BatchDedupHandler;
import io.dedup.DedupCall;
import io.dedup.DedupKey;
import io.dedup.DedupOutcome;
import io.dedup.simulation.rocketmq.RocketMqCircumstances.Requeue;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * An application's own listener on a broker such as RabbitMQ or Artemis, which calls the deduplicator: it acknowledges what it may,
 * and gives everything else back, at once or later. The broker counts deliveries and drops what has used them up.
 */
final class CallingConsumer implements Member.Consumer {
    private static final Duration LONG_POLL = Duration.ofSeconds(5);

    private final World world;
    private final PopBroker broker;
    private final Member process;
    private final Workers workers = new Workers();
    private boolean closing;

    CallingConsumer(World world, PopBroker broker, Member process) {
        this.world = world;
        this.broker = broker;
        this.process = process;
        for (int i = 0; i < world.circumstances.concurrency(); i++) {
            workers.start(process.name() + "-caller-" + i, this::work);
        }
    }

    private void work() {
        while (!closing && !process.isDead()) {
            broker.await(LONG_POLL, process);
            if (closing || process.isDead()) {
                return;
            }
            int most =
                    world.circumstances.call() == RocketMqCircumstances.Call.ALL ? world.circumstances.batchSize() : 1;
            List<PopBroker.Message> received = broker.receive(process, most, PopBroker.FOR_EVER, false);
            if (!received.isEmpty()) {
                consume(received);
            }
        }
    }

    private void consume(List<PopBroker.Message> received) {
        List<String> handles = received.stream().map(PopBroker.Message::handle).toList();
        List<DedupOutcome<@Nullable Void>> outcomes;
        try {
            outcomes = call(received);
        } catch (Member.Died e) {
            throw e;
        } catch (RuntimeException | Error e) {
            process.mustLive();
            world.step(process.name() + ": " + received + " fails: " + e);
            handles.forEach(handle -> broker.hide(handle, world.circumstances.retry(), process));
            return;
        }
        process.mustLive();
        for (int i = 0; i < handles.size(); i++) {
            DedupOutcome<@Nullable Void> outcome = outcomes.get(i);
            if (outcome.mayAck()) {
                boolean unused = broker.acknowledge(handles.get(i), process);
            } else {
                world.step(process.name() + ": " + outcome + " for " + received.get(i));
                broker.explain(received.get(i)); // what calls the deduplicator itself pays for deferrals
                var unused = broker.hide(handles.get(i), delay(outcome), process);
            }
        }
    }

    private Duration delay(DedupOutcome<?> outcome) {
        boolean later = world.circumstances.requeue() == Requeue.WITH_DELAY;
        return later && outcome instanceof DedupOutcome.Deferred<?> deferred
                ? deferred.retryAfter()
                : Duration.ofMillis(later ? 1_000 : 20);
    }

    private DedupKey key(PopBroker.Message message) {
        return process.dedup().key(Member.TOPIC, message.id);
    }

    @SuppressWarnings("NullAway") // it does not see that a handler may return null
    private List<DedupOutcome<@Nullable Void>> call(List<PopBroker.Message> received) {
        PopBroker.Message first = received.get(0);
        return switch (world.circumstances.call()) {
            case EXECUTE ->
                List.of(process.dedup().<@Nullable Void, RuntimeException>execute(key(first), context -> {
                    handle(first.id);
                    return null;
                }));
            case ASYNC -> List.of(async(first));
            case ALL ->
                process.dedup()
                        .<PopBroker.Message, RuntimeException>executeAll(
                                received, this::key, items -> handleAll(items));
        };
    }

    private void handleAll(List<BatchDedupHandler.Item<PopBroker.Message>> items) {
        List<String> ids = items.stream().map(item -> item.value().id).toList();
        if (!process.handler().handlesAll(ids)) {
            process.handler().fail(ids.get(0));
        }
    }

    private DedupOutcome<@Nullable Void> async(PopBroker.Message message) {
        CompletableFuture<@Nullable Void> work = new CompletableFuture<>();
        CompletableFuture<DedupOutcome<@Nullable Void>> outcome = process.dedup()
                .executeAsync(DedupCall.<@Nullable Void>of(key(message)), context -> {
                    new Thread(() -> finish(message, work), process.name() + "-async").start();
                    return work;
                })
                .toCompletableFuture();
        try {
            return outcome.join();
        } catch (CompletionException e) {
            throw new IllegalStateException(e.getCause());
        }
    }

    private void finish(PopBroker.Message message, CompletableFuture<@Nullable Void> work) {
        try {
            handle(message.id);
            work.complete(null);
        } catch (RuntimeException | Error e) {
            work.completeExceptionally(e);
        }
    }

    private void handle(String id) {
        if (!process.handler().handlesAll(List.of(id))) {
            process.handler().fail(id);
        }
    }

    @Override
    public void close() {
        closing = true;
        broker.wake();
        workers.awaitEnd(Duration.ofMinutes(2));
    }
}

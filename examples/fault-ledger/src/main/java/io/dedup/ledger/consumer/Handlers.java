package io.dedup.ledger.consumer;

import io.dedup.DedupContext;
import io.dedup.ledger.plan.Message;
import io.dedup.ledger.plan.Row;
import io.dedup.ledger.plan.Shape;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.springframework.kafka.annotation.BackOff;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.annotation.RetryableTopic;
import org.springframework.kafka.listener.BatchListenerFailedException;
import org.springframework.kafka.support.Acknowledgment;

/** Handlers as users write them, one for each {@link Shape}; public for spring-kafka. */
final class Handlers {
    private Handlers() {}

    /** The object that has the method {@link #method}. */
    static Object of(Shape shape, SimulatedHandler handler, Attempts attempts, Executor workers) {
        return switch (shape) {
            case RECORD, RECORD_ACK, KAFKA_TRANSACTION -> new OfRecords(handler);
            case BATCH, KAFKA_TRANSACTION_BATCH -> new OfBatches(handler, attempts);
            case FUTURE -> new Later(handler, workers);
            case ASYNC_ACKS -> new AcknowledgingLater(handler, workers);
            case MANUAL, MANUAL_IMMEDIATE -> new Acknowledging(handler);
            case BATCH_MANUAL -> new AcknowledgingBatches(handler, attempts);
            case RETRY_TOPIC -> new Retrying(handler);
            case SHARE_GROUP -> throw new IllegalArgumentException("share groups have a listener of their own");
        };
    }

    static Method method(Object handler) {
        return Arrays.stream(handler.getClass().getDeclaredMethods())
                .filter(method -> method.getName().equals("on"))
                .findFirst()
                .orElseThrow();
    }

    public static final class OfRecords {
        private final SimulatedHandler handler;

        OfRecords(SimulatedHandler handler) {
            this.handler = handler;
        }

        public void on(ConsumerRecord<String, String> record, DedupContext context) {
            handler.run(RowListener.message(record), context.attempt());
        }
    }

    /** Of messages with several effects. */
    public static final class OfSteps {
        private final SimulatedHandler handler;
        private final Row row;

        OfSteps(SimulatedHandler handler, Row row) {
            this.handler = handler;
            this.row = row;
        }

        public void on(ConsumerRecord<String, String> record, DedupContext context) {
            handler.runSteps(
                    RowListener.message(record),
                    context.attempt(),
                    row,
                    row == Row.LEASED_STEPS ? context::step : (name, effect) -> effect.run());
        }
    }

    public static final class Acknowledging {
        private final SimulatedHandler handler;

        Acknowledging(SimulatedHandler handler) {
            this.handler = handler;
        }

        public void on(ConsumerRecord<String, String> record, Acknowledgment acknowledgment, DedupContext context) {
            handler.run(RowListener.message(record), context.attempt());
            acknowledgment.acknowledge();
        }
    }

    public static final class Later {
        private final SimulatedHandler handler;
        private final Executor workers;

        Later(SimulatedHandler handler, Executor workers) {
            this.handler = handler;
            this.workers = workers;
        }

        public CompletableFuture<Void> on(ConsumerRecord<String, String> record, DedupContext context) {
            return CompletableFuture.runAsync(
                    () -> handler.run(RowListener.message(record), context.attempt()), workers);
        }
    }

    public static final class AcknowledgingLater {
        private final SimulatedHandler handler;
        private final Executor workers;

        AcknowledgingLater(SimulatedHandler handler, Executor workers) {
            this.handler = handler;
            this.workers = workers;
        }

        public void on(ConsumerRecord<String, String> record, Acknowledgment acknowledgment, DedupContext context) {
            Message message = RowListener.message(record);
            int attempt = context.attempt();
            handler.begin(message, attempt);
            workers.execute(() -> {
                handler.finish(message, attempt);
                acknowledgment.acknowledge();
            });
        }
    }

    public static final class OfBatches {
        private final SimulatedHandler handler;
        private final Attempts attempts;

        OfBatches(SimulatedHandler handler, Attempts attempts) {
            this.handler = handler;
            this.attempts = attempts;
        }

        public void on(List<ConsumerRecord<String, String>> records) {
            runAll(records, handler, attempts);
        }
    }

    public static final class AcknowledgingBatches {
        private final SimulatedHandler handler;
        private final Attempts attempts;

        AcknowledgingBatches(SimulatedHandler handler, Attempts attempts) {
            this.handler = handler;
            this.attempts = attempts;
        }

        public void on(List<ConsumerRecord<String, String>> records, Acknowledgment acknowledgment) {
            runAll(records, handler, attempts);
            acknowledgment.acknowledge();
        }
    }

    /** Names the record that fails, as handlers of batches have to. */
    private static void runAll(
            List<ConsumerRecord<String, String>> records, SimulatedHandler handler, Attempts attempts) {
        for (int i = 0; i < records.size(); i++) {
            Message message = RowListener.message(records.get(i));
            try {
                handler.run(message, attempts.of(records.get(i)));
            } catch (RuntimeException e) {
                throw new BatchListenerFailedException("fails", e, i);
            }
        }
    }

    public static final class Retrying {
        private final SimulatedHandler handler;

        Retrying(SimulatedHandler handler) {
            this.handler = handler;
        }

        @RetryableTopic(
                attempts = "50",
                backOff = @BackOff(delay = 200),
                exclude = PoisonException.class,
                kafkaTemplate = RetryTopicContext.TEMPLATE,
                autoCreateTopics = "false",
                concurrency = "1")
        @KafkaListener(id = "${topic}", groupId = "${topic}", topics = "${topic}", concurrency = "${threads}")
        public void on(ConsumerRecord<String, String> record, DedupContext context) {
            handler.run(RowListener.message(record), context.attempt());
        }
    }
}

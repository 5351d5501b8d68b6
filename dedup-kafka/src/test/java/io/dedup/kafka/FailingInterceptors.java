package io.dedup.kafka;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.springframework.kafka.listener.BatchInterceptor;
import org.springframework.kafka.listener.RecordInterceptor;

/** Interceptors that throw once, where the container calls them outside of its listener's call. */
final class FailingInterceptors {
    /** How often one has thrown. */
    final AtomicInteger failures = new AtomicInteger();

    private final Supplier<? extends RuntimeException> failure;

    FailingInterceptors() {
        this(() -> new IllegalStateException("an interceptor fails"));
    }

    FailingInterceptors(Supplier<? extends RuntimeException> failure) {
        this.failure = failure;
    }

    private void failOnce() {
        if (failures.compareAndSet(0, 1)) {
            throw failure.get();
        }
    }

    /** Throws before the record with this ID is handled. */
    RecordInterceptor<String, String> before(String id) {
        return (record, consumer) -> {
            if (Scene.id(record).equals(id)) {
                failOnce();
            }
            return record;
        };
    }

    /** Throws after the record with this ID was handled. */
    RecordInterceptor<String, String> after(String id) {
        return new Passing() {
            @Override
            public void afterRecord(ConsumerRecord<String, String> record, Consumer<String, String> consumer) {
                if (Scene.id(record).equals(id)) {
                    failOnce();
                }
            }
        };
    }

    /** Throws when a record's listener has failed. */
    RecordInterceptor<String, String> whenFailed() {
        return new Passing() {
            @Override
            public void failure(
                    ConsumerRecord<String, String> record, Exception exception, Consumer<String, String> consumer) {
                failOnce();
            }
        };
    }

    /** Throws before the first batch is handled. */
    BatchInterceptor<String, String> beforeBatch() {
        return new BatchInterceptor<>() {
            @Override
            public ConsumerRecords<String, String> intercept(
                    ConsumerRecords<String, String> records, Consumer<String, String> consumer) {
                failOnce();
                return records;
            }
        };
    }

    /** Lets each record pass. */
    private static class Passing implements RecordInterceptor<String, String> {
        @Override
        public final ConsumerRecord<String, String> intercept(
                ConsumerRecord<String, String> record, Consumer<String, String> consumer) {
            return record;
        }
    }
}

package io.dedup.benchmarks.idle;

import java.util.concurrent.Semaphore;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.springframework.kafka.annotation.KafkaListener;

/** One of many listeners, each with a topic and a group of its own. It knows nothing of deduplication. */
public class IdleListener {
    private final Semaphore last = new Semaphore(0);
    private final String topic;

    IdleListener(String topic) {
        this.topic = topic;
    }

    /** For the expression below. */
    public String getTopic() {
        return topic;
    }

    @KafkaListener(id = "#{__listener.topic}", topics = "#{__listener.topic}")
    void handle(ConsumerRecord<String, String> message) {
        if (message.value().equals(IdleApplication.LAST)) {
            last.release();
        }
    }

    /** Until another message with the value {@link IdleApplication#LAST} has come, and so everything before it. */
    void awaitLast() throws InterruptedException {
        last.acquire();
    }
}

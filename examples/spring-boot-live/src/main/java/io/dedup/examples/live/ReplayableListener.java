package io.dedup.examples.live;

import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.springframework.kafka.listener.AbstractConsumerSeekAware;

/** A listener that can be made to read its topic from the beginning. */
abstract class ReplayableListener extends AbstractConsumerSeekAware {
    private final String topic;
    private final OutcomePrinter printer;

    ReplayableListener(String topic, OutcomePrinter printer) {
        this.topic = topic;
        this.printer = printer;
    }

    final String topic() {
        return topic;
    }

    @Override
    public void onPartitionsAssigned(Map<TopicPartition, Long> assignments, ConsumerSeekCallback callback) {
        super.onPartitionsAssigned(assignments, callback);
        printer.print(new Outcome(topic, Outcome.ASSIGNED, ""));
    }
}

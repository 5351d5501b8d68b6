package io.dedup.examples.live;

import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.springframework.kafka.listener.AbstractConsumerSeekAware;

/** A listener that can read its topic from the beginning again. */
abstract class ReplayableListener extends AbstractConsumerSeekAware {
    private final Topics.Subscription subscription;
    private final OutcomePrinter printer;

    ReplayableListener(Topics.Subscription subscription, OutcomePrinter printer) {
        this.subscription = subscription;
        this.printer = printer;
    }

    final String topic() {
        return subscription.topic();
    }

    @Override
    public void onPartitionsAssigned(Map<TopicPartition, Long> assignments, ConsumerSeekCallback callback) {
        super.onPartitionsAssigned(assignments, callback);
        printer.print(new Outcome(subscription, Outcome.ASSIGNED, ""));
    }
}

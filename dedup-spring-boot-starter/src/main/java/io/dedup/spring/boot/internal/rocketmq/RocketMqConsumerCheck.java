package io.dedup.spring.boot.internal.rocketmq;

import io.dedup.spring.boot.ListenerProperties;
import io.dedup.spring.boot.internal.check.RiskCheck;
import io.dedup.spring.boot.internal.deduplicator.DeduplicatedListener;
import io.dedup.spring.boot.internal.plan.TopicPlans;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/**
 * Finds push consumer beans that read configured topics with a listener that the starter cannot decorate: one that is created inside
 * the consumer's bean method, or passed to a builder, isn't a bean.
 */
public final class RocketMqConsumerCheck implements RiskCheck {
    private final TopicPlans plans;
    private final RocketMqListenerPostProcessor seen;

    public RocketMqConsumerCheck(TopicPlans plans, RocketMqListenerPostProcessor seen) {
        this.plans = plans;
        this.seen = seen;
    }

    @Override
    public List<Warning> warnings(List<DeduplicatedListener> served) {
        List<Warning> warnings = new ArrayList<>();
        seen.consumers().forEach((name, consumer) -> {
            ListenerProperties entry = plans.listener(name);
            boolean off = entry != null && Boolean.FALSE.equals(entry.getEnabled());
            TreeSet<String> topics =
                    new TreeSet<>(consumer.getSubscriptionExpressions().keySet());
            topics.removeIf(topic -> plans.plan(topic, List.of()) == null);
            if (!off && !topics.isEmpty() && !seen.groups().contains(consumer.getConsumerGroup())) {
                warnings.add(pastTheStarter(name, consumer.getConsumerGroup(), topics.toString()));
            }
        });
        return warnings;
    }

    private static Warning pastTheStarter(String name, String group, String topics) {
        return new Warning(
                "RocketMQ push consumer " + name + " of group " + group + " reads topics of dedup.topics, " + topics
                        + ", but no MessageListener bean has that group: its messages are not deduplicated",
                "Make its MessageListener a bean and set dedup.listeners.<that bean>.consumer-group to " + group
                        + ". Or decorate the listener in Java. If you don't want it deduplicated by the starter, set"
                        + " dedup.listeners." + name + ".enabled: false.");
    }
}

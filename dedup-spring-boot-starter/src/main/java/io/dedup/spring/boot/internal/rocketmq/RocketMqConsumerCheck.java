package io.dedup.spring.boot.internal.rocketmq;

import io.dedup.spring.boot.ListenerProperties;
import io.dedup.spring.boot.internal.check.StartCheck;
import io.dedup.spring.boot.internal.deduplicator.DeduplicatedListener;
import io.dedup.spring.boot.internal.plan.TopicPlans;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/**
 * Looks for push consumer beans that read configured topics past the starter: a listener that is made inside of the consumer's
 * bean method, or given to a builder, is nobody's bean.
 */
public final class RocketMqConsumerCheck implements StartCheck {
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
                "push consumer " + name + " of group " + group + " reads " + topics
                        + ", which dedup.topics is to deduplicate,"
                        + " and no message listener bean names that group: nothing that it reads is deduplicated",
                "Make its message listener a bean and set dedup.listeners.<that bean>.consumer-group to " + group
                        + "; or decorate the listener in Java, or leave it as it is, and set dedup.listeners." + name
                        + ".enabled to false.");
    }
}

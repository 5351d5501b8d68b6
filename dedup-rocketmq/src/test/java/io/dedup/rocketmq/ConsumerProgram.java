package io.dedup.rocketmq;

import io.dedup.Deduplicator;
import io.dedup.engine.Deduplicators;
import io.dedup.policy.DedupPolicy;
import io.dedup.store.redis.RedisDedupStore;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.apache.rocketmq.client.apis.ClientConfiguration;
import org.apache.rocketmq.client.apis.consumer.ConsumeResult;
import org.apache.rocketmq.client.apis.consumer.FilterExpression;
import org.apache.rocketmq.client.apis.consumer.MessageListener;

/**
 * A consumer in a process of its own, which says what it does and hangs in the handler of the ID {@code hang}, before its
 * effect. Arguments: push or simple, endpoints, topic, group, Redis.
 */
public final class ConsumerProgram {
    private ConsumerProgram() {}

    public static void main(String[] arguments) throws Exception {
        ClientConfiguration client = ClientConfiguration.newBuilder()
                .setEndpoints(arguments[1])
                .enableSsl(false)
                .setRequestTimeout(Duration.ofSeconds(20)) // its 3 s are short for a busy machine
                .build();
        String topic = arguments[2];
        String group = arguments[3];
        Deduplicator dedup = Deduplicators.builder(RedisDedupStore.builder()
                        .uri(arguments[4])
                        .commandTimeout(Scene.COLD_CLIENT) // a new JVM takes its time for the first connection
                        .build())
                .consumer(group)
                .defaults(DedupPolicy.builder().lease(Duration.ofSeconds(2)).build())
                .build();
        RocketMqDedup rocket = RocketMqDedup.builder(dedup)
                .id(RocketMqMessageIds.property("id"))
                .build();
        MessageListener listener = message -> {
            String id = Scene.id(message);
            if (id.equals("hang")) {
                say("HANGS");
                hang();
            }
            say("EFFECT " + id);
            return ConsumeResult.SUCCESS;
        };
        if (arguments[0].equals("push")) {
            Scene.CLIENT
                    .newPushConsumerBuilder()
                    .setClientConfiguration(client)
                    .setConsumerGroup(group)
                    .setSubscriptionExpressions(Map.of(topic, FilterExpression.SUB_ALL))
                    .setMessageListener(rocket.decorate(group, listener))
                    .build();
        } else {
            rocket.loop(
                            Scene.CLIENT
                                    .newSimpleConsumerBuilder()
                                    .setClientConfiguration(client)
                                    .setConsumerGroup(group)
                                    .setSubscriptionExpressions(Map.of(topic, FilterExpression.SUB_ALL))
                                    .setAwaitDuration(Duration.ofSeconds(1))
                                    .build(),
                            listener)
                    .invisibleDuration(Scene.INVISIBLE)
                    .start();
        }
        hang();
    }

    private static void say(String text) {
        System.out.println(text);
        System.out.flush();
    }

    private static void hang() {
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}

package io.dedup.simulation.rocketmq;

import io.dedup.rocketmq.RocketMqDedup;
import io.dedup.rocketmq.RocketMqDedupBuilder;
import io.dedup.rocketmq.RocketMqMessageIds;
import io.dedup.rocketmq.SimpleConsumerLoop;
import io.dedup.rocketmq.remoting.RemotingDedup;
import io.dedup.rocketmq.remoting.RemotingDedupBuilder;
import io.dedup.rocketmq.remoting.RemotingMessageIds;
import java.time.Duration;
import org.apache.rocketmq.client.apis.consumer.ConsumeResult;
import org.apache.rocketmq.client.apis.message.MessageView;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus;
import org.apache.rocketmq.client.consumer.listener.ConsumeOrderlyStatus;
import org.apache.rocketmq.client.consumer.listener.MessageListenerConcurrently;
import org.apache.rocketmq.client.consumer.listener.MessageListenerOrderly;
import org.apache.rocketmq.common.message.MessageExt;

/** The consumers of a process, with the real adapters. */
final class Consumers {
    private static final int CONSUME_TIMEOUT_MINUTES = 1;
    private static final Duration WAIT_AFTER_CLOSE = Duration.ofSeconds(10);

    private final World world;
    private final Member process;
    private final int number;

    private Consumers(World world, Member process, int number) {
        this.world = world;
        this.process = process;
        this.number = number;
    }

    /** Starts the consumer of a process. */
    static Member.Consumer start(World world, Broker broker, Member process, int number) {
        Consumers all = new Consumers(world, process, number);
        return switch (world.circumstances.client()) {
            case LOOP -> all.loop((PopBroker) broker);
            case PUSH -> all.push((PopBroker) broker);
            case CONCURRENT, ORDERLY -> all.older((QueueBroker) broker);
            case CALLER -> new CallingConsumer(world, (PopBroker) broker, process);
        };
    }

    private RocketMqDedup adapter() {
        RocketMqDedupBuilder builder = RocketMqDedup.builder(process.dedup())
                .id(RocketMqMessageIds.property("id"))
                .waitAfterClose(WAIT_AFTER_CLOSE);
        int wait = world.circumstances.maxWaitSeconds();
        return (wait == 0 ? builder : builder.maxWait(Duration.ofSeconds(wait))).build();
    }

    @SuppressWarnings("NullAway") // what a listener may do, although it must not
    private ConsumeResult consume(MessageView message) {
        String id = PopMessages.name(message);
        if (process.handler().handles(id)) {
            return ConsumeResult.SUCCESS;
        }
        process.handler().fail(id);
        return world.circumstances.onFailure() == RocketMqCircumstances.OnFailure.RETURN_NULL
                ? null
                : ConsumeResult.FAILURE;
    }

    private Member.Consumer loop(PopBroker broker) {
        SimulatedSimpleConsumer consumer = new SimulatedSimpleConsumer(world, broker, process);
        RocketMqDedup dedup = adapter();
        SimpleConsumerLoop loop = dedup.loop(consumer.asConsumer(), this::consume)
                .concurrency(world.circumstances.concurrency())
                .batchSize(world.circumstances.batchSize())
                .completeTogether(world.circumstances.batchCompletions())
                .invisibleDuration(world.circumstances.invisible())
                .retryDelay(attempt -> world.circumstances.retry())
                .shutdownTimeout(Duration.ofSeconds(10))
                .start();
        return () -> {
            dedup.close();
            loop.close();
            consumer.close();
        };
    }

    private Member.Consumer push(PopBroker broker) {
        RocketMqDedup dedup = adapter();
        return new SimulatedPushConsumer(world, broker, process, dedup.decorate("group", this::consume), dedup::close);
    }

    @SuppressWarnings("NullAway")
    private Member.Consumer older(QueueBroker broker) {
        RemotingDedupBuilder builder = RemotingDedup.builder(process.dedup())
                .id(RemotingMessageIds.property("id"))
                .waitAfterClose(WAIT_AFTER_CLOSE);
        int wait = world.circumstances.maxWaitSeconds();
        RemotingDedup dedup = (wait == 0 ? builder : builder.maxWait(Duration.ofSeconds(wait))).build();
        DefaultMQPushConsumer settings = new DefaultMQPushConsumer("group");
        settings.setConsumeTimeout(CONSUME_TIMEOUT_MINUTES);
        if (world.circumstances.client() == RocketMqCircumstances.Client.ORDERLY) {
            settings.setMessageListener((MessageListenerOrderly) (messages, context) -> orderly(messages.get(0)));
        } else {
            settings.setMessageListener((MessageListenerConcurrently) (messages, context) -> {
                String id = messages.get(0).getUserProperty("name");
                if (process.handler().handles(id)) {
                    return ConsumeConcurrentlyStatus.CONSUME_SUCCESS;
                }
                process.handler().fail(id);
                if (world.circumstances.onFailure() == RocketMqCircumstances.OnFailure.DEAD_LETTER) {
                    context.setDelayLevelWhenNextConsume(-1);
                }
                return world.circumstances.onFailure() == RocketMqCircumstances.OnFailure.RETURN_NULL
                        ? null
                        : ConsumeConcurrentlyStatus.RECONSUME_LATER;
            });
        }
        dedup.decorate(settings);
        return new OlderConsumer(
                world,
                broker,
                process,
                number,
                settings.getMessageListener(),
                Duration.ofMinutes(CONSUME_TIMEOUT_MINUTES),
                dedup::close);
    }

    @SuppressWarnings("NullAway")
    private ConsumeOrderlyStatus orderly(MessageExt message) {
        String id = message.getUserProperty("name");
        if (process.handler().handles(id)) {
            return ConsumeOrderlyStatus.SUCCESS;
        }
        process.handler().fail(id);
        return world.circumstances.onFailure() == RocketMqCircumstances.OnFailure.RETURN_NULL
                ? null
                : ConsumeOrderlyStatus.SUSPEND_CURRENT_QUEUE_A_MOMENT;
    }
}

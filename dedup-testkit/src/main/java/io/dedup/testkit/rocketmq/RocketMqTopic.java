package io.dedup.testkit.rocketmq;

import io.dedup.id.MessageIdExtractor;
import io.dedup.testkit.replay.BrokerTopic;
import io.dedup.testkit.replay.TopicMessage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.rocketmq.client.apis.ClientConfiguration;
import org.apache.rocketmq.client.apis.ClientException;
import org.apache.rocketmq.client.apis.ClientServiceProvider;
import org.apache.rocketmq.client.apis.message.Message;
import org.apache.rocketmq.client.apis.message.MessageBuilder;
import org.apache.rocketmq.client.apis.message.MessageView;
import org.apache.rocketmq.client.apis.producer.Producer;
import org.jspecify.annotations.Nullable;

/** A RocketMQ topic: the messages that a watched listener got, and the copies that were sent. */
final class RocketMqTopic implements BrokerTopic {
    private static final ClientServiceProvider PROVIDER = ClientServiceProvider.loadService();

    private final String topic;
    private final String group;
    private final MessageIdExtractor<? super MessageView> ids;
    private final ListenerWatch watch;
    private final @Nullable Runnable reset;
    private final Producer producer;
    /** Copies, which may not have been delivered yet, by the broker's message ID. */
    private final Map<String, TopicMessage> sent = new LinkedHashMap<>();
    /** The required number of acknowledgments of a message, if it isn't one. */
    private final Map<String, Integer> due = new LinkedHashMap<>();

    RocketMqTopic(
            ClientConfiguration client,
            String topic,
            String group,
            MessageIdExtractor<? super MessageView> ids,
            ListenerWatch watch,
            @Nullable Runnable reset) {
        this.topic = topic;
        this.group = group;
        this.ids = ids;
        this.watch = watch;
        this.reset = reset;
        try {
            this.producer = PROVIDER.newProducerBuilder()
                    .setClientConfiguration(client)
                    .setTopics(topic)
                    .build();
        } catch (ClientException e) {
            throw new IllegalStateException("Cannot open a producer for topic " + topic, e);
        }
    }

    @Override
    public String topic() {
        return topic;
    }

    @Override
    public String group() {
        return group;
    }

    @Override
    public List<TopicMessage> messages() {
        Map<String, TopicMessage> all = new LinkedHashMap<>();
        watch.seen().stream()
                .filter(message -> message.getTopic().equals(topic))
                .sorted(Comparator.comparingLong(MessageView::getBornTimestamp))
                .forEach(message -> all.put(message.getMessageId().toString(), message(message)));
        sent.forEach(all::putIfAbsent);
        return List.copyOf(all.values());
    }

    private TopicMessage message(MessageView message) {
        return new TopicMessage(
                topic,
                place(message.getMessageId().toString()),
                -1,
                -1,
                Instant.ofEpochMilli(message.getBornTimestamp()),
                TopicMessage.idOf(ids, message),
                message);
    }

    private String place(String messageId) {
        return topic + "/" + messageId;
    }

    @Override
    public List<TopicMessage> unacked(Collection<TopicMessage> messages) {
        return messages.stream()
                .filter(message -> {
                    String messageId = message.place().substring(topic.length() + 1);
                    return watch.acks(messageId) < due.getOrDefault(messageId, 1);
                })
                .toList();
    }

    @Override
    public void sendAgain(List<TopicMessage> copies) {
        for (TopicMessage copy : copies) {
            MessageView original = (MessageView) copy.raw();
            try {
                String messageId = producer.send(again(original)).getMessageId().toString();
                sent.put(
                        messageId,
                        new TopicMessage(topic, place(messageId), -1, -1, Instant.now(), copy.id(), original));
            } catch (ClientException e) {
                throw new IllegalStateException("Cannot send a copy of " + copy, e);
            }
        }
    }

    private static Message again(MessageView original) {
        byte[] body = new byte[original.getBody().remaining()];
        original.getBody().duplicate().get(body);
        MessageBuilder copy =
                PROVIDER.newMessageBuilder().setTopic(original.getTopic()).setBody(body);
        original.getProperties().forEach(copy::addProperty);
        if (!original.getKeys().isEmpty()) {
            copy.setKeys(original.getKeys().toArray(String[]::new));
        }
        original.getTag().ifPresent(copy::setTag);
        original.getMessageGroup().ifPresent(copy::setMessageGroup);
        original.getDeliveryTimestamp().ifPresent(copy::setDeliveryTimestamp); // in the past: at once
        return copy.build();
    }

    @Override
    public void rewind(List<TopicMessage> chosen) {
        if (reset == null) {
            throw new IllegalStateException(
                    "Cannot rewind group " + group + ": RocketMQ's client cannot reset offsets. Call"
                            + " resettingOffsetsBy(...) to have an administration tool do it, or use bySendingAgain()");
        }
        List<String> messageIds = new ArrayList<>();
        chosen.forEach(message -> messageIds.add(message.place().substring(topic.length() + 1)));
        messageIds.forEach(messageId -> due.put(messageId, watch.acks(messageId) + 1));
        reset.run();
    }

    @Override
    public void close() {
        try {
            producer.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

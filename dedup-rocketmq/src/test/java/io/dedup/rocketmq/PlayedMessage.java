package io.dedup.rocketmq;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.rocketmq.client.apis.message.MessageId;
import org.apache.rocketmq.client.apis.message.MessageView;

/** A message that no broker has sent. */
record PlayedMessage(String topic, Map<String, String> properties, List<String> keys, String body)
        implements MessageView {
    PlayedMessage(String topic) {
        this(topic, Map.of("id", "played"), List.of(), "");
    }

    @Override
    public MessageId getMessageId() {
        return new MessageId() {
            @Override
            public String getVersion() {
                return "00";
            }

            @Override
            public String toString() {
                return "played";
            }
        };
    }

    @Override
    public String getTopic() {
        return topic;
    }

    @Override
    public ByteBuffer getBody() {
        return ByteBuffer.wrap(body.getBytes(StandardCharsets.UTF_8)).asReadOnlyBuffer();
    }

    @Override
    public Map<String, String> getProperties() {
        return properties;
    }

    @Override
    public Optional<String> getTag() {
        return Optional.empty();
    }

    @Override
    public Collection<String> getKeys() {
        return keys;
    }

    @Override
    public Optional<String> getMessageGroup() {
        return Optional.empty();
    }

    @Override
    public Optional<String> getLiteTopic() {
        return Optional.empty();
    }

    @Override
    public Optional<Long> getDeliveryTimestamp() {
        return Optional.empty();
    }

    @Override
    public Optional<Integer> getPriority() {
        return Optional.empty();
    }

    @Override
    public String getBornHost() {
        return "nowhere";
    }

    @Override
    public long getBornTimestamp() {
        return 0;
    }

    @Override
    public int getDeliveryAttempt() {
        return 1;
    }
}

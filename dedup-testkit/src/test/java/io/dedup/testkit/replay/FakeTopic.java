package io.dedup.testkit.replay;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;

/** A topic in memory, whose listener is called as a message is sent or read again, and is taken to acknowledge it. */
final class FakeTopic implements BrokerTopic {
    static final String TOPIC = "t";
    static final String GROUP = "g";

    private final List<TopicMessage> messages = new ArrayList<>();
    private final Consumer<String> listener;
    private final List<String> late = new ArrayList<>();
    private int looksBeforeLate;

    FakeTopic(Consumer<String> listener) {
        this.listener = listener;
    }

    FakeTopic send(String... ids) {
        for (String id : ids) {
            int offset = messages.size();
            messages.add(new TopicMessage(TOPIC, TOPIC + "-0@" + offset, 0, offset, Instant.now(), id, id));
            listener.accept(id);
        }
        return this;
    }

    /** Another system sends these, after this many looks at the topic. */
    FakeTopic sendLate(int looks, String... ids) {
        looksBeforeLate = looks;
        late.addAll(List.of(ids));
        return this;
    }

    @Override
    public String topic() {
        return TOPIC;
    }

    @Override
    public String group() {
        return GROUP;
    }

    @Override
    public List<TopicMessage> messages() {
        if (looksBeforeLate-- == 0) {
            send(late.toArray(String[]::new));
        }
        return List.copyOf(messages);
    }

    @Override
    public List<TopicMessage> unacked(Collection<TopicMessage> all) {
        return List.of();
    }

    @Override
    public void sendAgain(List<TopicMessage> copies) {
        copies.forEach(copy -> send((String) copy.raw()));
    }

    @Override
    public void rewind(List<TopicMessage> chosen) {
        chosen.forEach(message -> listener.accept((String) message.raw()));
    }

    @Override
    public void close() {}
}

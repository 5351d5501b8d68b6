package io.dedup.testkit.plan;

import io.dedup.testkit.replay.TopicMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A broker in memory, whose listener is called as a message is sent. */
final class FakeTraffic implements Traffic {
    /** From here on, of 20 messages of a plan with one fault. */
    private static final int AFTER_THE_FAULT = 10;

    final List<String> effects = new CopyOnWriteArrayList<>();
    final List<TopicMessage> deadLetters = new ArrayList<>();
    final List<TopicMessage> unacked = new CopyOnWriteArrayList<>();
    final AtomicInteger visits = new AtomicInteger();
    final AtomicInteger sent = new AtomicInteger();
    final AtomicInteger looks = new AtomicInteger();
    /** Whether each guest takes partitions, in turn. */
    List<Boolean> partitionsForGuests = List.of(true);

    Supplier<Set<String>> members = Set::of;
    /** Called with each message that is sent after the fault. */
    Runnable afterTheFault = () -> {};

    boolean closed;
    private final BiConsumer<FakeTraffic, TopicMessage> listener;

    FakeTraffic(BiConsumer<FakeTraffic, TopicMessage> listener) {
        this.listener = listener;
    }

    /** Handles each message once. */
    static FakeTraffic good() {
        return new FakeTraffic(FakeTraffic::handleOnce);
    }

    static void handleOnce(FakeTraffic traffic, TopicMessage message) {
        if (!traffic.effects.contains(message.id())) {
            traffic.effects.add(message.id());
        }
    }

    static TopicMessage message(String id, int offset) {
        return new TopicMessage("t", "t-0@" + offset, 0, offset, Instant.now(), id, id);
    }

    @Override
    public String description() {
        return "topic t, group g";
    }

    @Override
    public @Nullable String id(int number) {
        return "m" + number;
    }

    @Override
    public synchronized CompletableFuture<TopicMessage> send(int number, int place) {
        TopicMessage message = message("m" + number, sent.getAndIncrement());
        listener.accept(this, message);
        if (number >= AFTER_THE_FAULT) {
            afterTheFault.run();
        }
        return CompletableFuture.completedFuture(message);
    }

    @Override
    public List<TopicMessage> unacked(Collection<TopicMessage> messages) {
        looks.incrementAndGet();
        return messages.stream().filter(unacked::contains).toList();
    }

    @Override
    public Set<String> members() {
        return members.get();
    }

    @Override
    public boolean isSettled() {
        return true;
    }

    @Override
    public boolean visit(Duration stay, Duration atMost) {
        return partitionsForGuests.get(visits.getAndIncrement() % partitionsForGuests.size());
    }

    @Override
    public List<TopicMessage> deadLetters() {
        return deadLetters;
    }

    @Override
    public void close() {
        closed = true;
    }
}

package io.dedup.protocol;

import io.dedup.DedupKey;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Messages that come again until they are acked. */
final class Broker {
    private final List<Copy> copies = new ArrayList<>();
    private final Random random;
    private final Book book;
    private final Effects effects;

    Broker(Random random, Book book, Effects effects) {
        this.random = random;
        this.book = book;
        this.effects = effects;
    }

    Copy send(DedupKey key) {
        Copy copy = new Copy(key, copies.size());
        copies.add(copy);
        return copy;
    }

    /** Hands out at most so many of those that nobody has. */
    List<Copy> deliver(Node node, int most) {
        List<Copy> batch = new ArrayList<>(copies);
        batch.removeIf(copy -> copy.acked || copy.with != null);
        Collections.shuffle(batch, random);
        batch = batch.subList(0, Math.min(most, batch.size()));
        batch.forEach(copy -> copy.with = node);
        return batch;
    }

    void ack(Copy copy) {
        copy.acked = true;
        if (!effects.happened(copy.key)) {
            book.violated("acked without an effect: " + copy);
        }
    }

    void back(Copy copy) {
        copy.with = null;
    }

    /** Its connection is gone. */
    void lose(Node node) {
        copies.stream().filter(copy -> copy.with == node).forEach(this::back);
    }

    /** A rebalance, or acks that were lost: somebody else gets what a process still has. */
    void redeliver() {
        copies.stream().filter(copy -> random.nextBoolean()).forEach(this::back);
    }

    List<Copy> unacked() {
        return copies.stream().filter(copy -> !copy.acked).toList();
    }
}

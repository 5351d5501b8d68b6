package io.dedup.benchmarks.redis;

import io.dedup.benchmarks.measure.Ids;
import io.dedup.benchmarks.subject.IdSlots;
import io.dedup.benchmarks.subject.IdSlots.Slot;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.List;

/** Finds out how the store writes a key, by looking. */
final class RedisKeys {
    private RedisKeys() {}

    /**
     * The key of a record, with the place of its ID. Reads all keys: only for a server that holds few.
     *
     * @param id of a record that is there
     */
    static Slot of(RedisCommands<byte[], byte[]> commands, String id) {
        IdSlots slots = new IdSlots(List.of(id));
        return commands.keys("*" + id).stream()
                .map(slots::find)
                .filter(slot -> slot.holdsId() && slot.captured().length - slot.at() == Ids.LENGTH)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("the store made no key that ends with " + id));
    }
}

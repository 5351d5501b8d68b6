package io.dedup.benchmarks.subject;

import io.dedup.benchmarks.measure.Ids;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds the IDs of messages in their captured requests, and replaces them by others.
 *
 * <p>Thread-safe.
 */
public final class IdSlots {
    private final Map<String, Integer> indexes = new HashMap<>();

    /** @param captured the messages that were sent, each {@link Ids#LENGTH} ASCII characters */
    public IdSlots(List<String> captured) {
        for (int i = 0; i < captured.size(); i++) {
            indexes.put(captured.get(i), i);
        }
    }

    /** An argument with a place for an ID, or one without, which stays as it is. */
    public Slot find(byte[] argument) {
        String text = new String(argument, StandardCharsets.ISO_8859_1);
        for (int at = 0; at + Ids.LENGTH <= text.length(); at++) {
            Integer index = indexes.get(text.substring(at, at + Ids.LENGTH));
            if (index != null) {
                return new Slot(argument, index, at);
            }
        }
        return new Slot(argument, -1, 0);
    }

    /**
     * One argument.
     *
     * @param index of the message whose ID it holds; -1 when it holds none
     * @param at where the ID begins
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Slot(byte[] captured, int index, int at) {
        public boolean holdsId() {
            return index >= 0;
        }

        /** The argument for other messages. Not to be changed. */
        @SuppressWarnings("deprecation") // the one way to copy ASCII without an array in between
        public byte[] bytes(List<String> ids) {
            if (index < 0) {
                return captured;
            }
            byte[] bytes = captured.clone();
            ids.get(index).getBytes(0, Ids.LENGTH, bytes, at);
            return bytes;
        }

        /** The argument for other messages, where it is text. */
        public String text(List<String> ids) {
            return new String(bytes(ids), StandardCharsets.ISO_8859_1);
        }
    }
}

package io.dedup.benchmarks.subject;

import io.dedup.benchmarks.measure.Ids;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds the IDs of messages in their captured requests, and replaces them by others.
 *
 * <p>Thread-safe.
 */
public final class IdSlots {
    private static final Pattern LITERAL = Pattern.compile("X'([0-9a-f]{" + 2 * Ids.LENGTH + "})'");

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

    /** A text, with a place for each ID that is a literal in hexadecimal there. */
    public HexSlots findHex(String text) {
        List<String> texts = new ArrayList<>();
        List<Integer> found = new ArrayList<>();
        int end = 0;
        Matcher literal = LITERAL.matcher(text);
        while (literal.find()) {
            String id = new String(HexFormat.of().parseHex(literal.group(1)), StandardCharsets.ISO_8859_1);
            Integer index = indexes.get(id);
            if (index != null) {
                texts.add(text.substring(end, literal.start(1)));
                found.add(index);
                end = literal.end(1);
            }
        }
        texts.add(text.substring(end));
        return new HexSlots(texts, found);
    }

    /**
     * Text around IDs in hexadecimal.
     *
     * @param texts what is before the first, between them, and behind the last
     * @param indexes of the messages whose IDs they are
     */
    public record HexSlots(List<String> texts, List<Integer> indexes) {
        /** The text for other messages. */
        public String text(List<String> ids) {
            if (indexes.isEmpty()) {
                return texts.get(0);
            }
            StringBuilder text = new StringBuilder(texts.get(0));
            for (int i = 0; i < indexes.size(); i++) {
                String id = ids.get(indexes.get(i));
                text.append(HexFormat.of().formatHex(id.getBytes(StandardCharsets.US_ASCII)))
                        .append(texts.get(i + 1));
            }
            return text.toString();
        }
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

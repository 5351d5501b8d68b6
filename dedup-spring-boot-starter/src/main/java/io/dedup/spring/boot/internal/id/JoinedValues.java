package io.dedup.spring.boot.internal.id;

import io.dedup.id.MessageIdExtractor;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An ID of several values with texts before, between and behind them, as in {@code #tenant + '/' + #number}. It is missing
 * if any of the values is. Immutable.
 *
 * <p>It is what was written, {@code acme/7}, as long as the values can be read from that again. Else, as where a value
 * contains the text that separates it from the next, or nothing does, it is a composite.
 */
final class JoinedValues<M> implements MessageIdExtractor<M> {
    private final List<MessageIdExtractor<M>> values;
    private final List<String> texts;
    private final MessageIdExtractor<List<@Nullable String>> composite;

    /** Begins each composite. Where an ID may also be as written, it has a word that those may not begin with. */
    private final String mark;

    /** @param texts one more than there are values; empty where there is none */
    JoinedValues(List<MessageIdExtractor<M>> values, List<String> texts) {
        this.values = List.copyOf(values);
        this.texts = List.copyOf(texts);
        List<MessageIdExtractor<? super List<@Nullable String>>> found = new ArrayList<>();
        for (int i = 0; i < values.size(); i++) {
            int index = i;
            found.add(all -> all.get(index));
        }
        this.composite = MessageIdExtractor.composite(found);
        boolean alwaysComposite = texts.subList(1, values.size()).contains("");
        this.mark = (alwaysComposite ? "" : "parts:") + String.join("", texts);
    }

    @Override
    public @Nullable String extract(M message) {
        List<@Nullable String> found = new ArrayList<>();
        values.forEach(value -> found.add(value.extract(message)));
        String parts = composite.extract(found);
        if (parts == null) {
            return null;
        }
        String written = written(found);
        return written == null || written.startsWith(mark) ? mark + parts : written;
    }

    /**
     * The values and texts as written; null if the values cannot be read from that again: each text between two must be the
     * last of its kind there. From the end, because what comes last is often a number, and what comes first a UUID.
     */
    private @Nullable String written(List<@Nullable String> found) {
        StringBuilder all = new StringBuilder(texts.get(0));
        List<Integer> ends = new ArrayList<>();
        for (int i = 0; i < found.size(); i++) {
            ends.add(all.append(found.get(i)).length());
            all.append(texts.get(i + 1));
        }
        for (int i = found.size() - 1; i > 0; i--) {
            int last = all.lastIndexOf(texts.get(i), ends.get(i) - texts.get(i).length());
            if (last != ends.get(i - 1)) {
                return null;
            }
        }
        return all.toString();
    }

    @Override
    public String source(M message) {
        return MessageIdExtractor.composite(new ArrayList<MessageIdExtractor<? super M>>(values))
                .source(message);
    }
}

package io.dedup.http.internal;

import io.dedup.DedupKey;
import io.dedup.id.MessageIdExtractor;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What separates the keys of different clients: without it, one client could read the stored response of another one.
 *
 * @param text as written
 */
public record ClientScope(String text, List<Part> parts) {
    private static final String PRINCIPAL = "principal";
    private static final String HEADER = "header:";
    private static final String NONE = "none";

    /** The principal, or the header of that name. */
    private record Part(@Nullable String header) {
        @Nullable
        String of(HttpCall call) {
            if (header == null) {
                return usable(call.principal());
            }
            List<String> values = call.headers().apply(header);
            return values.size() == 1 ? usable(values.get(0)) : null;
        }

        private static @Nullable String usable(@Nullable String text) {
            return DedupKey.problemWith(text) == null ? text : null;
        }
    }

    /**
     * Reads it.
     *
     * @throws IllegalArgumentException when it is invalid
     */
    public static ClientScope parse(String text) {
        List<Part> parts = new ArrayList<>();
        for (String each : text.split("\\+", -1)) {
            String part = each.strip();
            if (part.equals(PRINCIPAL)) {
                parts.add(new Part(null));
            } else if (part.startsWith(HEADER) && part.length() > HEADER.length()) {
                parts.add(new Part(part.substring(HEADER.length())));
            } else if (!part.equals(NONE) || !text.strip().equals(NONE)) {
                throw new IllegalArgumentException(
                        "must be principal, header:<name>, none, or several joined by \" + \"");
            }
        }
        return new ClientScope(text.strip(), List.copyOf(parts));
    }

    boolean needsPrincipal() {
        return parts.stream().anyMatch(part -> part.header() == null);
    }

    /** What the client didn't send, or isn't; null if nothing is missing. */
    @Nullable
    Missing missing(HttpCall call) {
        for (Part part : parts) {
            if (part.of(call) == null) {
                return part.header() == null ? Missing.PRINCIPAL : Missing.HEADER;
            }
        }
        return null;
    }

    /** What a client has to bring. */
    enum Missing {
        PRINCIPAL,
        HEADER
    }

    /** The message ID: the key alone, or parts and key, joined as an ID of several parts of a listener is. */
    String messageId(HttpCall call, String key) {
        if (parts.isEmpty()) {
            return key;
        }
        List<MessageIdExtractor<? super HttpCall>> all = new ArrayList<>();
        parts.forEach(part -> all.add(part::of));
        all.add(unused -> key);
        String joined = MessageIdExtractor.composite(all).extract(call);
        if (joined == null) {
            throw new IllegalStateException("nothing was missing");
        }
        return joined;
    }
}

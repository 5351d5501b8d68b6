package io.dedup.spring.boot.internal.id;

import io.dedup.id.MessageIdExtractor;
import io.dedup.text.Printable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Where a message's ID is, as written in properties and in {@code Deduplicated.id}: parts joined by {@code " + "}.
 *
 * @param text as written
 */
public record IdExpression(String text, List<Part> parts) {
    public static final String FORMS =
            "header:<name>, key, json:/<pointer>, cloudevent, coordinates, spel:<expression>,"
                    + " bean:<name of a MessageIdExtractor>; for RocketMQ property:<name>, keys, keys:<prefix>, json:, spel:,"
                    + " coordinates, bean:; for a method #<argument>, bean:; several joined by \" + \", with spel: or # as the last";

    private static final String JOIN = " + ";

    public IdExpression {
        parts = List.copyOf(parts);
    }

    /**
     * One of the parts that make an ID.
     *
     * @param argument the text after the colon; empty where there is none. The whole text for an {@link Kind#ARGUMENT}
     */
    public record Part(Kind kind, String argument) {}

    /** What a part may be. */
    public enum Kind {
        HEADER(true),
        KEY(false),
        JSON(true),
        CLOUDEVENT(false),
        COORDINATES(false),
        SPEL(true),
        BEAN(true),
        PROPERTY(true),
        KEYS(null),
        /** An expression that starts with an argument of a method, as in {@code #order.id}. */
        ARGUMENT(true);

        /** Null where it may be left out. */
        private final @Nullable Boolean argument;

        Kind(@Nullable Boolean argument) {
            this.argument = argument;
        }

        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * Reads it.
     *
     * @throws IllegalArgumentException when it is invalid; the message says why, and lists the valid forms
     */
    public static IdExpression parse(String text) {
        List<Part> parts = new ArrayList<>();
        String rest = text.strip();
        while (true) {
            // A SpEL expression may contain anything, so it extends to the end of the text; SpelId knows what its +
            // joins.
            int join = rest.startsWith("spel:") || rest.startsWith("#") ? -1 : rest.indexOf(JOIN);
            String part = (join < 0 ? rest : rest.substring(0, join)).strip();
            if (part.endsWith(" +")) { // also if a line break follows that +, and then another +
                throw wrong(text, "nothing follows " + (join < 0 ? "the last +" : "one +"));
            }
            parts.add(part(text, part));
            if (join < 0) {
                return new IdExpression(text.strip(), parts);
            }
            rest = rest.substring(join + JOIN.length()).stripLeading();
        }
    }

    /**
     * The extractor of the whole, made of the extractors of its parts.
     *
     * @param ofPart makes the extractor of a part
     */
    public <M> MessageIdExtractor<? super M> extractor(Function<Part, MessageIdExtractor<? super M>> ofPart) {
        List<MessageIdExtractor<? super M>> extractors = new ArrayList<>();
        parts.forEach(part -> extractors.add(ofPart.apply(part)));
        return extractors.size() == 1 ? extractors.get(0) : MessageIdExtractor.composite(extractors);
    }

    private static Part part(String text, String part) {
        if (part.startsWith("#")) {
            return new Part(Kind.ARGUMENT, part);
        }
        int colon = part.indexOf(':');
        String word = colon < 0 ? part : part.substring(0, colon);
        String argument = colon < 0 ? "" : part.substring(colon + 1);
        for (Kind kind : Kind.values()) {
            if (!kind.word().equals(word) || kind == Kind.ARGUMENT) {
                continue;
            }
            if (Boolean.TRUE.equals(kind.argument) && argument.isBlank() && kind != Kind.JSON) {
                throw wrong(text, word + ": needs a value after the colon");
            }
            if (kind == Kind.JSON && colon < 0) {
                throw wrong(text, "json: needs a JSON Pointer, such as json:/payment/id");
            }
            if (Boolean.FALSE.equals(kind.argument) && colon >= 0) {
                throw wrong(text, word + " takes no value after a colon");
            }
            return new Part(kind, argument);
        }
        throw wrong(text, Printable.of(word) + " is not a known kind of message ID");
    }

    private static IllegalArgumentException wrong(String text, String problem) {
        return new IllegalArgumentException(problem + ", in " + Printable.of(text) + ". Use " + FORMS);
    }

    @Override
    public String toString() {
        return parts.stream().map(IdExpression::text).collect(Collectors.joining(JOIN));
    }

    private static String text(Part part) {
        if (part.kind() == Kind.ARGUMENT) {
            return part.argument();
        }
        return part.argument().isEmpty() && !Boolean.TRUE.equals(part.kind().argument)
                ? part.kind().word()
                : part.kind().word() + ":" + part.argument();
    }
}

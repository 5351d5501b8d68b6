package io.dedup.id;

import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.exc.UnexpectedEndOfInputException;
import tools.jackson.core.json.JsonFactory;

/** The part that needs Jackson. Separate from {@link JsonPointerId}, so that its absence can be reported. */
final class JsonPointerReader {
    private static final char BYTE_ORDER_MARK = '\uFEFF';
    private static final int NO_INDEX = -1;
    /** Longer ones don't fit an int, and no document has so many elements. */
    private static final int MAX_INDEX_DIGITS = 9;

    private final JsonFactory factory = new JsonFactory();
    private final List<String> path;

    JsonPointerReader(List<String> path) {
        this.path = List.copyOf(path);
    }

    @Nullable
    String find(byte[] json) {
        try (JsonParser parser = factory.createParser(ObjectReadContext.empty(), json)) {
            return find(parser);
        } catch (JacksonException e) {
            throw malformed(e);
        }
    }

    @Nullable
    String find(String json) {
        String text = !json.isEmpty() && json.charAt(0) == BYTE_ORDER_MARK ? json.substring(1) : json;
        try (JsonParser parser = factory.createParser(ObjectReadContext.empty(), text)) {
            return find(parser);
        } catch (JacksonException e) {
            throw malformed(e);
        }
    }

    private @Nullable String find(JsonParser parser) {
        JsonToken value = parser.nextToken();
        if (value == null) {
            throw new UnusableIdException("no JSON: the document is empty");
        }
        for (String step : path) {
            value = value == JsonToken.START_OBJECT
                    ? member(parser, step)
                    : value == JsonToken.START_ARRAY ? element(parser, index(step)) : null;
            if (value == null) {
                return null;
            }
        }
        return value == JsonToken.VALUE_STRING || value == JsonToken.VALUE_NUMBER_INT ? parser.getString() : null;
    }

    /** The first token of the member's value, or null when the object has no such member. */
    private static @Nullable JsonToken member(JsonParser parser, String name) {
        while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
            boolean found = name.equals(parser.currentName());
            JsonToken value = parser.nextToken();
            if (found) {
                return value;
            }
            parser.skipChildren();
        }
        return null;
    }

    /** The first token of the element, or null when the array has no such element. */
    private static @Nullable JsonToken element(JsonParser parser, int index) {
        int at = 0;
        for (JsonToken value = parser.nextToken();
                value != null && value != JsonToken.END_ARRAY;
                value = parser.nextToken()) {
            if (index == NO_INDEX || at++ == index) {
                return index == NO_INDEX ? null : value;
            }
            parser.skipChildren();
        }
        return null;
    }

    private static int index(String step) {
        boolean digits = !step.isEmpty()
                && step.length() <= MAX_INDEX_DIGITS
                && step.chars().allMatch(c -> c >= '0' && c <= '9');
        boolean leadingZero = step.length() > 1 && step.charAt(0) == '0'; // no index, says the RFC
        return digits && !leadingZero ? Integer.parseInt(step) : NO_INDEX;
    }

    /** Without the cause: Jackson's messages quote the document. */
    private static IllegalArgumentException malformed(JacksonException e) {
        String what = e instanceof StreamConstraintsException
                ? "JSON beyond the reader's limits (nesting, length of a name, string or number)"
                : e instanceof UnexpectedEndOfInputException ? "truncated JSON" : "malformed JSON";
        TokenStreamLocation at = e.getLocation();
        return new UnusableIdException(
                at == null ? what : what + " at line " + at.getLineNr() + ", column " + at.getColumnNr());
    }
}

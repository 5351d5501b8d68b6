package io.dedup.spring.boot.internal.id;

import io.dedup.id.MessageIdExtractor;
import io.dedup.id.UnusableIdException;
import java.lang.reflect.Parameter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHeaders;
import org.springframework.util.ClassUtils;

/**
 * The headers {@code id} and {@code timestamp} of Spring's messages. Spring makes them anew for each {@link Message} object,
 * also when a broker delivers a message again, so with such an ID there would be no duplicates. Needs spring-messaging,
 * except for {@link #pathsOf}.
 */
public final class SpringHeaders {
    private static final Set<String> NEW_EACH_TIME = Set.of("id", "timestamp");
    private static final String ANNOTATIONS = "org.springframework.messaging.handler.annotation.";
    private static final boolean PRESENT =
            ClassUtils.isPresent("org.springframework.messaging.Message", SpringHeaders.class.getClassLoader());

    private SpringHeaders() {}

    /**
     * Returns a header's name.
     *
     * @throws IllegalArgumentException when it is one of Spring's own
     */
    public static String require(String header) {
        if (NEW_EACH_TIME.contains(header)) {
            throw refused("header:" + header);
        }
        return header;
    }

    static IllegalArgumentException refused(String what) {
        return new UnusableIdException(what
                + " is new for each Message object of Spring, also if a message is delivered again, so that no message"
                + " would be a duplicate. Use an ID that the sender has set");
    }

    /** How an expression reads them of a message. */
    public static Set<List<String>> pathsOfMessage() {
        return Set.of(List.of("headers", "id"), List.of("headers", "timestamp"));
    }

    /** How an expression reads them of a parameter. */
    public static Set<List<String>> pathsOf(Parameter parameter, String variable) {
        MergedAnnotations annotations = MergedAnnotations.from(parameter);
        MergedAnnotation<?> header = annotations.get(ANNOTATIONS + "Header");
        if (header.isPresent()) {
            String name = header.getString("name");
            return NEW_EACH_TIME.contains(name.isEmpty() ? header.getString("value") : name)
                    ? Set.of(List.of(variable))
                    : Set.of();
        }
        if (annotations.isPresent(ANNOTATIONS + "Headers")
                || (PRESENT && MessageHeaders.class.isAssignableFrom(parameter.getType()))) {
            return Set.of(List.of(variable, "id"), List.of(variable, "timestamp"));
        }
        return PRESENT && Message.class.isAssignableFrom(parameter.getType())
                ? Set.of(List.of(variable, "headers", "id"), List.of(variable, "headers", "timestamp"))
                : Set.of();
    }

    /** As the extractor, but an ID that contains the message's own {@code id} counts as missing. */
    public static <M> MessageIdExtractor<M> refusing(
            MessageIdExtractor<? super M> extractor, Function<M, ? extends Iterable<?>> messages) {
        return new MessageIdExtractor<>() {
            @Override
            public @Nullable String extract(M message) {
                String id = extractor.extract(message);
                if (id == null) {
                    return null;
                }
                for (UUID own : ids(messages.apply(message))) {
                    if (id.contains(own.toString())) {
                        throw refused("its " + extractor.source(message));
                    }
                }
                return id;
            }

            @Override
            public String source(M message) {
                return extractor.source(message);
            }
        };
    }

    private static List<UUID> ids(Iterable<?> messages) {
        List<UUID> ids = new ArrayList<>(1);
        for (Object each : messages) {
            Map<?, ?> headers = each instanceof Message<?> message
                    ? message.getHeaders()
                    : each instanceof MessageHeaders own ? own : null;
            if (headers != null && headers.get(MessageHeaders.ID) instanceof UUID id) {
                ids.add(id);
            }
        }
        return ids;
    }

    /** Whether the application has Spring's messages at all. */
    public static boolean arePossible() {
        return PRESENT;
    }
}

package io.dedup.spring.boot.internal.actuator;

import io.dedup.DedupException;
import io.dedup.DedupKey;
import io.dedup.DedupScope;
import io.dedup.privacy.IdHashing;
import io.dedup.spring.boot.internal.deduplicator.DeduplicatorRegistry;
import io.dedup.spring.boot.internal.deduplicator.ServingDeduplicator;
import io.dedup.spring.boot.internal.plan.TopicPlan;
import io.dedup.text.Utf8;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;

/**
 * Finds the key for two segments of a path. Message IDs may contain characters that a path cannot. So each segment is either the text
 * itself, or {@code base64:} and the text's UTF-8 in URL-safe Base64. An ID may also be {@code stored:} and the ID as the store has
 * it, which is a hash for IDs of more than 255 bytes.
 */
final class OperatorKeys {
    private static final String BASE64 = "base64:";
    private static final String STORED = "stored:";
    private static final String HASHED = "sha256:";
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9._:@~-]{1,255}");

    private final DeduplicatorRegistry registry;

    OperatorKeys(DeduplicatorRegistry registry) {
        this.registry = registry;
    }

    /** A key, and who serves it. */
    record Found(DedupKey key, ServingDeduplicator servedBy, TopicPlan plan) {}

    /** A scope, and how it is served. */
    record FoundScope(DedupScope scope, ServingDeduplicator servedBy, TopicPlan plan) {}

    /** How a scope is written in paths. */
    static String scope(String consumer, String topic) {
        return consumer + ":" + topic;
    }

    /**
     * The key; null when there is no such scope.
     *
     * @throws InvalidEndpointRequestException when a segment cannot be read, or is no ID
     */
    @Nullable
    Found find(String scope, String id) {
        FoundScope found = find(scope);
        return found == null ? null : new Found(key(found.scope(), id), found.servedBy(), found.plan());
    }

    /**
     * The scope in which a listener keeps its records; null when there is none.
     *
     * @throws InvalidEndpointRequestException when the segment cannot be read
     */
    @Nullable
    FoundScope find(String scope) {
        String name = decoded(scope);
        if (Utf8.lengthOrMinusOne(name) < 0) {
            return null; // no name is ill-formed, but a listener's pattern may match it
        }
        for (ServingDeduplicator serving : registry.deduplicators()) {
            String consumer = serving.deduplicator().consumer();
            if (!name.startsWith(consumer + ":")) {
                continue;
            }
            String topic = name.substring(consumer.length() + 1);
            TopicPlan plan = topic.isBlank() ? null : serving.plan(topic);
            if (plan != null) {
                DedupScope main = serving.deduplicator().topic(topic).scope();
                return new FoundScope(plan.policy().shadow() ? main.shadow() : main, serving, plan);
            }
        }
        return null;
    }

    /** An ID out of a store as a segment that {@link #find(String, String)} finds it by. */
    static String segment(String storedId) {
        if (storedId.startsWith(HASHED) || IdHashing.isHash(storedId)) {
            return STORED + storedId; // no other ID may start with this tag, or looks like this where IDs are hashed
        }
        boolean plain = PLAIN.matcher(storedId).matches()
                && !storedId.startsWith(BASE64)
                && !storedId.startsWith(STORED)
                && !storedId.replace(".", "").isEmpty();
        return plain
                ? storedId
                : BASE64
                        + Base64.getUrlEncoder()
                                .withoutPadding()
                                .encodeToString(storedId.getBytes(StandardCharsets.UTF_8));
    }

    private static DedupKey key(DedupScope scope, String id) {
        try {
            return id.startsWith(STORED) ? new DedupKey(scope, id.substring(STORED.length())) : scope.key(decoded(id));
        } catch (DedupException | IllegalArgumentException e) {
            throw invalid(String.valueOf(e.getMessage()));
        }
    }

    /**
     * The ID of a segment, as messages have it.
     *
     * @throws InvalidEndpointRequestException when the segment cannot be read
     */
    static String rawId(String segment) {
        if (segment.startsWith(STORED)) {
            throw invalid("An ID as the store has it cannot be erased. Write it as the messages have it");
        }
        return decoded(segment);
    }

    private static String decoded(String segment) {
        if (!segment.startsWith(BASE64)) {
            return segment;
        }
        try {
            byte[] bytes = Base64.getUrlDecoder().decode(segment.substring(BASE64.length()));
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (IllegalArgumentException | CharacterCodingException e) {
            throw invalid("The text after " + BASE64 + " isn't UTF-8 in URL-safe Base64");
        }
    }

    private static InvalidEndpointRequestException invalid(String reason) {
        return new InvalidEndpointRequestException(reason, reason);
    }
}

package io.dedup.spring.boot.internal.actuator;

import io.dedup.DedupException;
import io.dedup.DedupKey;
import io.dedup.DedupScope;
import io.dedup.privacy.IdHashing;
import io.dedup.spring.boot.internal.deduplicator.DeduplicatorRegistry;
import io.dedup.spring.boot.internal.deduplicator.ServingDeduplicator;
import io.dedup.spring.boot.internal.plan.TopicPlan;
import io.dedup.spring.boot.internal.text.SettingText;
import io.dedup.text.Utf8;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
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

    /** A key, and all who serve it. */
    record Found(DedupKey key, List<ServingDeduplicator> servedBy, TopicPlan plan) {}

    /**
     * A scope, and how it is served.
     *
     * @param servedBy those of all its listeners
     * @param plan of these, the one with the longest window
     */
    record FoundScope(DedupScope scope, List<ServingDeduplicator> servedBy, TopicPlan plan) {}

    /** Who may serve a topic, and how. */
    private record Candidate(ServingDeduplicator serving, Function<String, @Nullable TopicPlan> plans) {
        String consumer() {
            return serving.deduplicator().consumer();
        }

        Stream<FoundScope> find(String name) {
            String topic = name.startsWith(consumer() + ":")
                    ? name.substring(consumer().length() + 1)
                    : "";
            TopicPlan plan = topic.isBlank() ? null : plans.apply(topic);
            if (plan == null) {
                return Stream.empty();
            }
            DedupScope main = serving.deduplicator().topic(topic).scope();
            return Stream.of(new FoundScope(plan.policy().shadow() ? main.shadow() : main, List.of(serving), plan));
        }
    }

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
     * The scope in which listeners keep their records; null when there is none.
     *
     * @throws InvalidEndpointRequestException when the segment cannot be read, or names more than one
     */
    @Nullable
    FoundScope find(String scope) {
        String name = decoded(scope);
        return Utf8.lengthOrMinusOne(name) < 0 // no name is ill-formed, but a listener's pattern may match it
                ? null
                : find(name, consumer -> true);
    }

    /** The scope of a consumer; null when there is none. */
    @Nullable
    FoundScope findOf(String consumer, String topic) {
        return find(scope(consumer, topic), consumer::equals);
    }

    /** Listeners first: each deduplicator of a consumer also has the topics of others, as they are by default. */
    private @Nullable FoundScope find(String name, Predicate<String> consumers) {
        List<ServingDeduplicator> all = registry.deduplicators();
        return Stream.of(
                        registry.served().stream().map(each -> new Candidate(each.servedBy(), each::plan)),
                        all.stream().map(each -> new Candidate(each, each.topics()::get)),
                        all.stream()
                                .map(each -> new Candidate(each, topic -> topic.contains(":") ? null : each.others())))
                .map(candidates -> candidates
                        .filter(each -> consumers.test(each.consumer()))
                        .flatMap(each -> each.find(name))
                        .toList())
                .filter(found -> !found.isEmpty())
                .findFirst()
                .map(found -> found.stream().reduce(OperatorKeys::together).orElseThrow())
                .orElse(null);
    }

    /** Of listeners that share their records. What is forced done counts as long as for any of them. */
    private static FoundScope together(FoundScope one, FoundScope other) {
        if (!one.scope().equals(other.scope())
                || one.plan().policy().mode() != other.plan().policy().mode()) {
            throw invalid("This may be the scope of " + described(one) + ", and that of " + described(other)
                    + ". Nothing was changed, because their records are in different places. Use the endpoint of a process that has"
                    + " only one of them");
        }
        Duration window = one.plan().policy().window().duration();
        Duration otherWindow = other.plan().policy().window().duration();
        boolean longer = window != null && (otherWindow == null || otherWindow.compareTo(window) > 0);
        return new FoundScope(
                one.scope(),
                Stream.concat(one.servedBy().stream(), other.servedBy().stream())
                        .distinct()
                        .toList(),
                longer ? other.plan() : one.plan());
    }

    private static String described(FoundScope found) {
        return found.scope() + " in mode "
                + SettingText.of(found.plan().policy().mode());
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

package io.dedup.spring.boot.internal.method;

import io.dedup.id.MessageIdExtractor;
import io.dedup.spring.boot.internal.id.IdExpression;
import io.dedup.spring.boot.internal.id.SpelId;
import io.dedup.spring.boot.internal.id.SpringHeaders;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.core.DefaultParameterNameDiscoverer;

/** Makes extractors for the arguments of a method of ID expressions. Thread-safe. */
public final class MethodIds {
    private static final DefaultParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

    private final Function<String, MessageIdExtractor<?>> beans;

    /** Over the application's beans; see {@code KafkaIds}. */
    public MethodIds(Function<String, MessageIdExtractor<?>> beans) {
        this.beans = beans;
    }

    /**
     * The extractor, of the list of a call's arguments.
     *
     * @throws IllegalArgumentException when it cannot be one for this method
     */
    MessageIdExtractor<? super List<@Nullable Object>> of(IdExpression expression, Method method) {
        MessageIdExtractor<? super List<@Nullable Object>> extractor = expression.extractor(part -> one(part, method));
        return SpringHeaders.arePossible() ? SpringHeaders.refusing(extractor, arguments -> arguments) : extractor;
    }

    @SuppressWarnings("unchecked") // as in KafkaIds
    private MessageIdExtractor<? super List<@Nullable Object>> one(IdExpression.Part part, Method method) {
        return switch (part.kind()) {
            case ARGUMENT, SPEL -> {
                List<Set<String>> names = names(method);
                Set<String> all = new LinkedHashSet<>();
                names.forEach(all::addAll);
                yield SpelId.extractor(
                        part.argument(), all, newEachTime(names, method), arguments -> byName(names, arguments));
            }
            case BEAN -> (MessageIdExtractor<? super List<@Nullable Object>>) beans.apply(part.argument());
            default ->
                throw new IllegalArgumentException(
                        part.kind().word()
                                + " reads messages of Kafka or RocketMQ. For a method, use #<argument>, such as #order.id, or bean:");
        };
    }

    private static Set<List<String>> newEachTime(List<Set<String>> names, Method method) {
        Set<List<String>> paths = new LinkedHashSet<>();
        for (int i = 0; i < names.size(); i++) {
            for (String name : names.get(i)) {
                paths.addAll(SpringHeaders.pathsOf(method.getParameters()[i], "#" + name));
            }
        }
        return paths;
    }

    /** What each parameter may be called: its name, where the compiler kept it, and its position. */
    private static List<Set<String>> names(Method method) {
        String[] names = NAMES.getParameterNames(method);
        List<Set<String>> all = new ArrayList<>();
        for (int i = 0; i < method.getParameterCount(); i++) {
            Set<String> its = new LinkedHashSet<>();
            if (names != null) {
                its.add(names[i]);
            }
            its.add("p" + i);
            all.add(its);
        }
        return all;
    }

    private static Map<String, @Nullable Object> byName(List<Set<String>> names, List<@Nullable Object> arguments) {
        Map<String, @Nullable Object> values = new LinkedHashMap<>();
        for (int i = 0; i < names.size(); i++) {
            for (String name : names.get(i)) {
                values.put(name, arguments.get(i));
            }
        }
        return values;
    }
}

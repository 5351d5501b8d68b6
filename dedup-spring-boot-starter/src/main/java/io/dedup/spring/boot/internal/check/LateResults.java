package io.dedup.spring.boot.internal.check;

import io.dedup.spring.boot.internal.call.ResponseBody;
import java.lang.reflect.Method;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.stream.BaseStream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/**
 * Results of handlers and methods whose effect may happen later, when somebody subscribes to them, writes them to a response, or while another thread
 * works on them. They may be within another object, such as a {@code ResponseEntity}.
 */
public final class LateResults {
    private static final List<Class<?>> OF_JDK =
            List.of(Future.class, CompletionStage.class, Flow.Publisher.class, Callable.class, BaseStream.class);
    private static final String OF_WEB = "org.springframework.web.";
    private static final List<String> NAMES_OF_WEB = List.of(
            "ResponseBodyEmitter",
            "StreamingResponseBody",
            "AsyncServerResponse",
            "SseServerResponse",
            "StreamingServerResponse");

    /** A type may be declared in terms of itself. */
    private static final int DEEPEST = 8;

    /** Asked with each call. */
    private static final ClassValue<Optional<Class<?>>> LATE = new ClassValue<>() {
        @Override
        protected Optional<Class<?>> computeValue(Class<?> type) {
            return Optional.ofNullable(late(type));
        }
    };

    private LateResults() {}

    /** What a method is declared to return, or to return within something else; null if it is nothing of this kind. */
    public static @Nullable Class<?> declared(Method method, Class<?> type) {
        return KotlinDetector.isSuspendingFunction(method)
                ? method.getReturnType()
                : declared(ResolvableType.forMethodReturnType(method, type), DEEPEST);
    }

    private static @Nullable Class<?> declared(ResolvableType type, int depth) {
        Class<?> itself = type.resolve();
        if (itself == null || depth == 0) {
            return null;
        }
        if (LATE.get(itself).isPresent()) {
            return itself;
        }
        Class<?> found = declared(type.getComponentType(), depth - 1);
        for (ResolvableType within : type.getGenerics()) {
            found = found == null ? declared(within, depth - 1) : found;
        }
        return found;
    }

    /** The kind of what a method has returned, where its declaration didn't show it; null if it is nothing of this kind. */
    public static @Nullable Class<?> in(@Nullable Object result) {
        if (result == null) {
            return null;
        }
        Class<?> late = LATE.get(result.getClass()).orElse(null);
        if (late != null) {
            return late;
        }
        return in(result instanceof Optional<?> optional ? optional.orElse(null) : ResponseBody.of(result));
    }

    /** What makes results of this class late. */
    private static @Nullable Class<?> late(Class<?> type) {
        for (Class<?> each : OF_JDK) {
            if (each.isAssignableFrom(type)) {
                return each;
            }
        }
        ReactiveAdapter reactive = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
        if (reactive != null) {
            return reactive.getReactiveType();
        }
        Set<Class<?>> types = new LinkedHashSet<>(ClassUtils.getAllInterfacesForClassAsSet(type));
        for (Class<?> each = type; each != null; each = each.getSuperclass()) {
            types.add(each);
        }
        return types.stream().filter(LateResults::isLateOfWeb).findFirst().orElse(null);
    }

    /** Such as {@code DeferredResult}, {@code WebAsyncTask}, {@code ResponseBodyEmitter} and {@code StreamingResponseBody}. */
    private static boolean isLateOfWeb(Class<?> type) {
        String name = type.getName();
        return name.startsWith(OF_WEB)
                && (name.contains(".context.request.async.")
                        || NAMES_OF_WEB.stream().anyMatch(name::endsWith));
    }
}

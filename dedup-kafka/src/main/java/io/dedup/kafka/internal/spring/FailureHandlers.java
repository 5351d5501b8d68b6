package io.dedup.kafka.internal.spring;

import java.lang.reflect.Field;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.kafka.listener.CommonDelegatingErrorHandler;
import org.springframework.kafka.listener.CommonErrorHandler;
import org.springframework.kafka.listener.CommonLoggingErrorHandler;
import org.springframework.kafka.listener.CommonMixedErrorHandler;
import org.springframework.kafka.listener.FailedRecordProcessor;

/** Finds out what an error handler or rollback processor does with the records that it gives up on. */
public final class FailureHandlers {
    private FailureHandlers() {}

    /**
     * Whether it is known to only log them, as {@code DefaultErrorHandler} does without a recoverer: the container then
     * commits them.
     */
    public static boolean onlyLogs(Object handler) {
        if (handler instanceof FailedRecordProcessor) {
            return hasNoRecoverer(handler);
        }
        if (handler instanceof CommonMixedErrorHandler) {
            return field(handler, "recordErrorHandler")
                            .filter(FailureHandlers::onlyLogs)
                            .isPresent()
                    || field(handler, "batchErrorHandler")
                            .filter(FailureHandlers::onlyLogs)
                            .isPresent();
        }
        if (handler instanceof CommonDelegatingErrorHandler) {
            return field(handler, "defaultErrorHandler")
                    .filter(FailureHandlers::onlyLogs)
                    .isPresent();
        }
        return handler instanceof CommonLoggingErrorHandler;
    }

    /**
     * The handler that decides about a failed batch. By default {@code CommonDelegatingErrorHandler} only looks at what the
     * listener has thrown, which names a record for us; it means what the handler has thrown.
     */
    public static CommonErrorHandler deciding(CommonErrorHandler handler, @Nullable Throwable failure) {
        Object next = null;
        if (handler.getClass() == CommonMixedErrorHandler.class) {
            next = field(handler, "batchErrorHandler").orElse(null);
        } else if (handler.getClass() == CommonDelegatingErrorHandler.class
                && field(handler, "causeChainTraversing")
                        .filter(Boolean.FALSE::equals)
                        .isPresent()
                && field(handler, "delegates").orElse(null) instanceof Map<?, ?> delegates) {
            next = delegates.entrySet().stream()
                    .filter(each -> each.getKey() instanceof Class<?> type && type.isInstance(failure))
                    .<Object>map(Map.Entry::getValue)
                    .findFirst()
                    .orElseGet(() -> field(handler, "defaultErrorHandler").orElse(handler));
        }
        return next instanceof CommonErrorHandler found && found != handler ? deciding(found, failure) : handler;
    }

    /** Without a recoverer, the tracker has a function that uses the tracker itself; a user's one is passed no tracker. */
    private static boolean hasNoRecoverer(Object processor) {
        Optional<Object> tracker = field(processor, "failureTracker");
        return tracker.flatMap(of -> field(of, "recoverer"))
                .filter(recoverer -> Arrays.stream(recoverer.getClass().getDeclaredFields())
                        .map(Field::getType)
                        .anyMatch(tracker.get().getClass()::equals))
                .isPresent();
    }

    private static Optional<Object> field(Object object, String name) {
        DirectFieldAccessor fields = new DirectFieldAccessor(object);
        return fields.isReadableProperty(name) ? Optional.ofNullable(fields.getPropertyValue(name)) : Optional.empty();
    }
}

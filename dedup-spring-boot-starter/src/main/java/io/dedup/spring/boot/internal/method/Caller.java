package io.dedup.spring.boot.internal.method;

import io.dedup.spring.boot.internal.call.DeduplicatedCalls.Patience;
import io.dedup.spring.boot.internal.call.RequestThread;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;

/** Who calls a method, as far as its annotations show: what a call may cost that throws because it cannot be decided yet. */
enum Caller {
    /** A broker's listener container: each call that throws is one of the message's delivery attempts. */
    BROKER,
    /** Something that neither passes the exception on nor calls again: the effect of a call that throws never happens. */
    GIVES_UP,
    /** Not known. Whoever it is gets the exception. */
    OTHER;

    private static final List<String> BROKERS = List.of(
            "org.springframework.amqp.rabbit.annotation.RabbitListener",
            "org.springframework.amqp.rabbit.annotation.RabbitListeners",
            "org.springframework.amqp.rabbit.annotation.RabbitHandler",
            "org.springframework.jms.annotation.JmsListener",
            "org.springframework.jms.annotation.JmsListeners",
            "org.springframework.pulsar.annotation.PulsarListener",
            "org.springframework.pulsar.annotation.PulsarListeners",
            "io.awspring.cloud.sqs.annotation.SqsListener",
            "io.awspring.cloud.sqs.annotation.SqsHandler",
            "com.azure.spring.messaging.servicebus.implementation.core.annotation.ServiceBusListener");
    /** Besides those of brokers. */
    private static final List<String> SENDING_RESULTS = List.of(
            "org.springframework.context.event.EventListener",
            "org.springframework.messaging.handler.annotation.SendTo",
            "org.springframework.messaging.simp.annotation.SendToUser",
            "org.springframework.integration.annotation.Aggregator",
            "org.springframework.integration.annotation.Filter",
            "org.springframework.integration.annotation.InboundChannelAdapter",
            "org.springframework.integration.annotation.Publisher",
            "org.springframework.integration.annotation.Router",
            "org.springframework.integration.annotation.ServiceActivator",
            "org.springframework.integration.annotation.Splitter",
            "org.springframework.integration.annotation.Transformer");

    private static final boolean FUNCTIONS = ClassUtils.isPresent(
            "org.springframework.cloud.function.context.FunctionCatalog", Caller.class.getClassLoader());
    private static final String ASYNC = "org.springframework.scheduling.annotation.Async";
    private static final String TRANSACTIONAL_EVENT =
            "org.springframework.transaction.event.TransactionalEventListener";

    static Caller of(DeduplicatedMethod method) {
        MergedAnnotations annotations = on(method.method());
        if (BROKERS.stream().anyMatch(annotations::isPresent)) {
            return BROKER;
        }
        return isTransactionalEvent(method) || isAsync(method) ? GIVES_UP : OTHER;
    }

    /** How long a call waits on the current thread that cannot be decided yet. */
    Patience patience(boolean hasMaxWait) {
        if (this != GIVES_UP && RequestThread.isCurrent()) { // its client gets an answer, and repeats
            return Patience.SHORT;
        }
        return this == BROKER && !hasMaxWait ? Patience.UNTIL_DECIDED : Patience.LONG;
    }

    /** What makes its caller send or publish its result, after the call; null if nothing shows that. */
    static @Nullable String sendsResult(DeduplicatedMethod method) {
        MergedAnnotations annotations = on(method.method());
        Optional<String> annotation = Stream.concat(BROKERS.stream(), SENDING_RESULTS.stream())
                .filter(annotations::isPresent)
                .findFirst();
        if (annotation.isPresent()) {
            return "@" + ClassUtils.getShortName(annotation.get());
        }
        return FUNCTIONS
                        && Function.class.isAssignableFrom(method.type())
                        && method.method().getName().equals("apply")
                ? "a function of Spring Cloud"
                : null;
    }

    /** Whether Spring calls it at the end of a transaction, and logs its exceptions. */
    static boolean isTransactionalEvent(DeduplicatedMethod method) {
        return on(method.method()).isPresent(TRANSACTIONAL_EVENT);
    }

    /** Whether it runs on a thread of its own, so that its caller gets no exception. */
    static boolean isAsync(DeduplicatedMethod method) {
        return on(method.method()).isPresent(ASYNC)
                || MergedAnnotations.from(method.type(), SearchStrategy.TYPE_HIERARCHY)
                        .isPresent(ASYNC);
    }

    /** Whether Spring calls it within the transaction, unless it isn't {@link #isTransactionalEvent}. */
    static boolean isBeforeCommit(DeduplicatedMethod method) {
        return on(method.method())
                .get(TRANSACTIONAL_EVENT)
                .getValue("phase")
                .map(phase -> phase.toString().equals("BEFORE_COMMIT"))
                .orElse(false);
    }

    private static MergedAnnotations on(Method method) {
        return MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY);
    }
}

package io.dedup.kafka.internal.handler;

import io.dedup.kafka.internal.KafkaLog;
import io.dedup.kafka.internal.handler.Invocations.Invocation;
import io.dedup.kafka.internal.reply.ReplyExchange;
import io.dedup.kafka.internal.reply.ReplyTopic;
import io.dedup.kafka.internal.spring.HandlerMethods;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.expression.Expression;
import org.springframework.kafka.listener.adapter.DelegatingInvocableHandler;
import org.springframework.kafka.listener.adapter.HandlerAdapter;
import org.springframework.kafka.listener.adapter.InvocationResult;
import org.springframework.kafka.listener.adapter.MessagingMessageListenerAdapter;
import org.springframework.kafka.support.Acknowledgment;
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.invocation.InvocableHandlerMethod;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Wraps the handler methods of a {@code @KafkaListener}: passes them their {@code DedupContext}, and inspects what they
 * return. Work that ends later is waited for, or the run ends with it.
 *
 * <p>spring-kafka would acknowledge a failed future before retrying it, so that a crash in between loses the message;
 * and it doesn't recognize a {@code CompletionStage}, a {@code Future} or an {@code Object} that is a future. Therefore
 * this class handles return values itself.
 */
public final class HandlerCalls {
    private static final Logger log = LoggerFactory.getLogger(KafkaLog.NAME);

    private HandlerCalls() {}

    /**
     * Replaces the handler behind a listener, if there is one.
     *
     * @return whether a method is declared to return a {@code CompletableFuture} or a {@code Mono}, or is a
     *     {@code suspend} function
     */
    public static boolean wrap(Object listener, Invocations invocations) {
        if (!(HandlerMethods.innermost(listener) instanceof MessagingMessageListenerAdapter<?, ?> adapter)) {
            return false;
        }
        try {
            Object handler = HandlerMethods.read(MessagingMessageListenerAdapter.class, "handlerMethod", adapter);
            if (handler instanceof HandlerAdapter known && !(handler instanceof WrappedHandler)) {
                WrappedHandler wrapped =
                        wrapped(known, adapter, invocations, ReplyTopic.take(adapter, invocations::replying));
                adapter.setHandlerMethod(wrapped);
                return wrapped.declaredLater;
            }
        } catch (ReflectiveOperationException | RuntimeException e) { // spring-kafka has no getter for it
            log.warn(
                    "Cannot wrap the handler of a @KafkaListener: this version of spring-kafka has no field for it that"
                            + " KafkaDedup knows. A returned CompletionStage or Future isn't waited for, and a"
                            + " DedupContext parameter isn't supported",
                    e);
        }
        return false;
    }

    /**
     * Whether the listener's handler is wrapped for these invocations. If it isn't, a duplicate must not be passed to
     * the listener to be answered: its handler would run.
     */
    public static boolean isWrapped(Object listener, Invocations invocations) {
        try {
            return HandlerMethods.innermost(listener) instanceof MessagingMessageListenerAdapter<?, ?> adapter
                    && HandlerMethods.read(MessagingMessageListenerAdapter.class, "handlerMethod", adapter)
                            instanceof WrappedHandler wrapped
                    && wrapped.invocations == invocations;
        } catch (ReflectiveOperationException | RuntimeException e) {
            return false;
        }
    }

    private static WrappedHandler wrapped(
            HandlerAdapter handler,
            MessagingMessageListenerAdapter<?, ?> adapter,
            Invocations invocations,
            UnaryOperator<Expression> topics)
            throws ReflectiveOperationException {
        Object one = HandlerMethods.read(HandlerAdapter.class, "invokerHandlerMethod", handler);
        return one instanceof InvocableHandlerMethod method
                ? new WrappedHandler(method, adapter, invocations, topics)
                : new WrappedHandler(
                        (DelegatingInvocableHandler) Objects.requireNonNull(
                                HandlerMethods.read(HandlerAdapter.class, "delegatingHandler", handler)),
                        adapter,
                        invocations,
                        topics);
    }

    /** Replaces spring-kafka's own handler adapter. */
    private static final class WrappedHandler extends HandlerAdapter {
        private final MessagingMessageListenerAdapter<?, ?> adapter;
        private final Invocations invocations;
        private final UnaryOperator<Expression> topics;
        private final boolean declaredLater;

        WrappedHandler(
                InvocableHandlerMethod method,
                MessagingMessageListenerAdapter<?, ?> adapter,
                Invocations invocations,
                UnaryOperator<Expression> topics) {
            super(method);
            this.adapter = adapter;
            this.invocations = invocations;
            this.topics = topics;
            this.declaredLater = super.isAsyncReplies();
            invocations.handlerMethodAsks();
        }

        WrappedHandler(
                DelegatingInvocableHandler methods,
                MessagingMessageListenerAdapter<?, ?> adapter,
                Invocations invocations,
                UnaryOperator<Expression> topics) {
            super(methods);
            this.adapter = adapter;
            this.invocations = invocations;
            this.topics = topics;
            this.declaredLater = super.isAsyncReplies();
            invocations.handlerMethodAsks();
        }

        /** False, because the adapter would acknowledge the record too early. */
        @Override
        public boolean isAsyncReplies() {
            return false;
        }

        @Override
        public @Nullable Object invoke(Message<?> message, @Nullable Object... arguments) throws Exception {
            ReplyExchange exchange = invocations.reply(arguments);
            if (exchange != null && exchange.stored() != null) {
                Object answer = getInvocationResultFor(exchange.stored(), message.getPayload());
                return answer == null ? exchange.stored() : answer;
            }
            Invocation invocation = invocations.of(arguments);
            @Nullable Object[] all = arguments;
            if (invocation != null) {
                all = Arrays.copyOf(arguments, arguments.length + 1);
                all[arguments.length] = invocation.context(); // resolved by its type, like the other arguments
            }
            try {
                Object result = super.invoke(message, all);
                return result instanceof InvocationResult reply
                        ? with(ended(reply.result(), invocation, arguments), reply)
                        : ended(result, invocation, arguments);
            } catch (Throwable e) {
                invocations.threw(e, arguments, HandlerMethods.failureTakers(adapter));
                throw e;
            }
        }

        private InvocationResult with(@Nullable Object result, InvocationResult reply) {
            Expression topic = reply.sendTo();
            return new InvocationResult(result, topic == null ? null : topics.apply(topic), reply.messageReturnType());
        }

        @SuppressWarnings("FutureReturnValueIgnored") // the adapter handles it
        private @Nullable Object ended(
                @Nullable Object result, @Nullable Invocation invocation, @Nullable Object[] arguments)
                throws Exception {
            ReplyExchange exchange = invocations.reply(arguments);
            Future<?> later = AsyncResult.of(result);
            if (later == null) {
                keep(exchange, result);
                return result;
            }
            if (TransactionSynchronizationManager.isActualTransactionActive()) {
                throw new IllegalStateException("The handler returned a "
                        + Objects.requireNonNull(result).getClass().getName()
                        + " within a transaction, which belongs to one thread. Return when the work is done, or use"
                        + " mode LEASED without a transaction manager");
            }
            if (invocation != null && invocation.mayEndLater() && later instanceof CompletableFuture<?> future) {
                return invocation.endsWith(future);
            }
            Object value = AsyncResult.awaited(later);
            keep(exchange, value);
            if (declaredLater) {
                acknowledge(arguments);
            }
            return value;
        }

        private static void keep(@Nullable ReplyExchange exchange, @Nullable Object result) {
            if (exchange != null) {
                exchange.returned(result);
            }
        }

        /** Called with what a {@code KafkaListenerErrorHandler} has returned in place of the handler. */
        @Override
        public @Nullable InvocationResult getInvocationResultFor(Object result, @Nullable Object payload) {
            keep(invocations.replying(), result);
            InvocationResult reply = super.getInvocationResultFor(result, payload);
            return reply == null ? null : with(result, reply);
        }

        /** Acknowledges, as spring-kafka does when such a method's work has succeeded. */
        private static void acknowledge(@Nullable Object[] arguments) {
            for (Object argument : arguments) {
                if (argument instanceof Acknowledgment acknowledgment) {
                    acknowledgment.acknowledge();
                    return;
                }
            }
        }
    }
}

package io.dedup.kafka;

import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.kafka.listener.adapter.AdapterUtils;
import org.springframework.kafka.listener.adapter.DelegatingInvocableHandler;
import org.springframework.kafka.listener.adapter.HandlerAdapter;
import org.springframework.kafka.listener.adapter.InvocationResult;
import org.springframework.kafka.listener.adapter.MessagingMessageListenerAdapter;
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.invocation.InvocableHandlerMethod;

/**
 * Waits for what a {@code @KafkaListener} method returns when that is done later.
 *
 * <p>Methods that are declared to return a {@code CompletableFuture} or a {@code Mono} are refused at start. Of one that
 * is declared to return a {@code CompletionStage}, a {@code Future} or an {@code Object}, spring-kafka knows only when it
 * returns; its call then ends before the work does, and the message would be done before its effect.
 */
final class AsyncResults {
    private static final Logger log = LoggerFactory.getLogger(KafkaDedup.class);

    private AsyncResults() {}

    /** Makes the handler method behind a listener, if there is one, return when its work is done. */
    static void await(Object listener) {
        if (!(HandlerMethods.innermost(listener) instanceof MessagingMessageListenerAdapter<?, ?> adapter)) {
            return;
        }
        try {
            Object handler = HandlerMethods.read(MessagingMessageListenerAdapter.class, "handlerMethod", adapter);
            if (handler instanceof HandlerAdapter known && !(handler instanceof AwaitingHandler)) {
                adapter.setHandlerMethod(awaiting(known));
            }
        } catch (ReflectiveOperationException | RuntimeException e) { // spring-kafka has no getter for it
            log.warn(
                    "A handler method that returns a CompletionStage or a Future isn't waited for: this version of"
                            + " spring-kafka doesn't let its handler be replaced",
                    e);
        }
    }

    private static HandlerAdapter awaiting(HandlerAdapter handler) throws ReflectiveOperationException {
        Object one = HandlerMethods.read(HandlerAdapter.class, "invokerHandlerMethod", handler);
        return one instanceof InvocableHandlerMethod method
                ? new AwaitingHandler(method)
                : new AwaitingHandler((DelegatingInvocableHandler) Objects.requireNonNull(
                        HandlerMethods.read(HandlerAdapter.class, "delegatingHandler", handler)));
    }

    /** In the place of spring-kafka's own. */
    private static final class AwaitingHandler extends HandlerAdapter {
        AwaitingHandler(InvocableHandlerMethod method) {
            super(method);
        }

        AwaitingHandler(DelegatingInvocableHandler methods) {
            super(methods);
        }

        @Override
        public @Nullable Object invoke(Message<?> message, @Nullable Object... arguments) throws Exception {
            Object result = super.invoke(message, arguments);
            return result instanceof InvocationResult reply
                    ? new InvocationResult(awaited(reply.result()), reply.sendTo(), reply.messageReturnType())
                    : awaited(result);
        }
    }

    private static @Nullable Object awaited(@Nullable Object result) throws Exception {
        if (result instanceof CompletionStage<?> stage) {
            CompletableFuture<Object> done = new CompletableFuture<>();
            stage.whenComplete((value, failure) -> {
                if (failure == null) {
                    done.complete(value);
                } else {
                    done.completeExceptionally(failure);
                }
            });
            return awaited((Future<?>) done);
        }
        if (result instanceof Future<?> future) {
            return awaited(future);
        }
        if (result != null && AdapterUtils.isMono(result.getClass())) {
            throw new IllegalStateException("the handler returned a Mono, which isn't supported yet, and nothing has"
                    + " subscribed to it: return when the work is done");
        }
        return result;
    }

    /** An interrupt doesn't end the work, so it doesn't end the wait either. */
    private static @Nullable Object awaited(Future<?> future) throws Exception {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return future.get();
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (CancellationException e) {
                    throw WorkMayGoOn.marked(e);
                } catch (ExecutionException e) {
                    Exception failure = unwrapped(e);
                    throw failure instanceof TimeoutException || failure instanceof CancellationException
                            ? WorkMayGoOn.marked(failure)
                            : failure;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static Exception unwrapped(Exception e) {
        Throwable cause = e.getCause();
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        if (cause instanceof Error error) {
            throw error;
        }
        return cause instanceof Exception exception ? exception : e;
    }
}

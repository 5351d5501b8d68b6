package io.dedup.spring.boot.internal.kafka.inbound;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageChannel;
import org.springframework.messaging.support.ChannelInterceptor;

/**
 * Watches the channel that a listener sends to. If the last send within a call of the listener failed and the listener returned all the
 * same, its message wasn't handled: the flow's error handling has taken it. A send is a call on the listener's thread, so calls are
 * known by their threads. Thread-safe.
 */
final class SendWatch implements ChannelInterceptor {
    private final Map<Thread, Call> calls = new ConcurrentHashMap<>();

    /** A call of the listener. */
    private static final class Call {
        private boolean handled;
        private @Nullable Exception failure;
    }

    /**
     * Runs a call of the listener.
     *
     * @param name of the listener
     * @throws RecoveredException if its message, or its list of messages, wasn't handled
     */
    void run(String name, Runnable listener) {
        Call call = new Call();
        Thread thread = Thread.currentThread();
        calls.put(thread, call);
        try {
            listener.run();
        } finally {
            calls.remove(thread);
        }
        if (!call.handled) {
            throw new RecoveredException(name, call.failure);
        }
    }

    @Override
    public void afterSendCompletion(
            Message<?> message, MessageChannel channel, boolean sent, @Nullable Exception failure) {
        Call call = calls.get(Thread.currentThread());
        if (call != null) {
            call.handled = sent && failure == null;
            call.failure = failure;
        }
    }
}

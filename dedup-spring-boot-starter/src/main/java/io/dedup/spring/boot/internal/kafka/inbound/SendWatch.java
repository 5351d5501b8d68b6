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

    private final boolean filtered;

    /** A call of the listener. */
    private static final class Call {
        private boolean handled;
    }

    /** @param filtered whether the listener drops messages on purpose: then a message that it didn't send counts as handled */
    SendWatch(boolean filtered) {
        this.filtered = filtered;
    }

    /**
     * Runs a call of the listener.
     *
     * @return whether its message, or its list of messages, was handled
     */
    boolean handles(Runnable listener) {
        Call call = new Call();
        call.handled = filtered;
        Thread thread = Thread.currentThread();
        calls.put(thread, call);
        try {
            listener.run();
        } finally {
            calls.remove(thread);
        }
        return call.handled;
    }

    @Override
    public void afterSendCompletion(
            Message<?> message, MessageChannel channel, boolean sent, @Nullable Exception failure) {
        Call call = calls.get(Thread.currentThread());
        if (call != null) {
            call.handled = sent && failure == null;
        }
    }
}

package io.dedup.rocketmq.internal.broker;

import io.dedup.rocketmq.internal.listener.MessageDeliveries;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.rocketmq.client.apis.message.MessageView;
import org.apache.rocketmq.client.java.message.MessageViewImpl;
import org.jspecify.annotations.Nullable;

/** A message as a simple consumer received it, with the queue of requests about it. Thread-safe. */
public final class ReceivedMessage {
    private final MessageView view;
    private final InvisibleTime invisibleTime = new InvisibleTime();
    private final AtomicReference<CompletableFuture<?>> lastRequest =
            new AtomicReference<>(CompletableFuture.completedFuture(null));

    /** Creates one for a message that was received now. */
    public ReceivedMessage(MessageView view) {
        this.view = view;
    }

    public MessageView view() {
        return view;
    }

    public InvisibleTime invisibleTime() {
        return invisibleTime;
    }

    /** Names the message in logs. */
    public String origin() {
        return MessageDeliveries.origin(view);
    }

    /** Whether the body doesn't match its checksum, which the client's interface doesn't reveal. */
    public boolean isCorrupted() {
        return view instanceof MessageViewImpl known && known.isCorrupted();
    }

    /** Adds a request to the end of the queue, and returns the one that must be answered before it. */
    CompletableFuture<?> enqueue(CompletableFuture<?> request) {
        return lastRequest.getAndSet(request);
    }

    @Nullable
    String receiptHandle() {
        return view instanceof MessageViewImpl known ? known.getReceiptHandle() : null;
    }

    /** Restores the previous handle: the client takes the handle from a refusal too, which has none. */
    void restore(@Nullable String receiptHandle) {
        if (receiptHandle != null && view instanceof MessageViewImpl known) {
            known.setReceiptHandle(receiptHandle);
        }
    }
}

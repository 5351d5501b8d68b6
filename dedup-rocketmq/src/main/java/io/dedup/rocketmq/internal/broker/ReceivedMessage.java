package io.dedup.rocketmq.internal.broker;

import io.dedup.rocketmq.internal.listener.MessageDeliveries;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.rocketmq.client.apis.message.MessageView;
import org.apache.rocketmq.client.java.message.MessageViewImpl;
import org.jspecify.annotations.Nullable;

/** A message as a simple consumer received it, with what is requested of the broker about it. Thread-safe. */
public final class ReceivedMessage {
    private final MessageView view;
    private final InvisibleTime invisibleTime = new InvisibleTime();
    private final AtomicReference<CompletableFuture<?>> lastRequest =
            new AtomicReference<>(CompletableFuture.completedFuture(null));

    /** A message that was received now. */
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

    /** Whether the body doesn't match its checksum, which the client's interface doesn't tell. */
    public boolean isCorrupted() {
        return view instanceof MessageViewImpl known && known.isCorrupted();
    }

    /** Puts a request at the end of the queue, and returns the one that has to be answered before it. */
    CompletableFuture<?> enqueue(CompletableFuture<?> request) {
        return lastRequest.getAndSet(request);
    }

    @Nullable
    String receiptHandle() {
        return view instanceof MessageViewImpl known ? known.getReceiptHandle() : null;
    }

    /** The client takes the new handle from a refusal, too, which has none: restores the one before. */
    void restore(@Nullable String receiptHandle) {
        if (receiptHandle != null && view instanceof MessageViewImpl known) {
            known.setReceiptHandle(receiptHandle);
        }
    }
}

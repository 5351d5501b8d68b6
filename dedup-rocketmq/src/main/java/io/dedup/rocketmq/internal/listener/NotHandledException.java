package io.dedup.rocketmq.internal.listener;

import org.apache.rocketmq.client.apis.consumer.ConsumeResult;
import org.jspecify.annotations.Nullable;

/** A listener said, by what it returned, that its message hasn't taken effect. */
public final class NotHandledException extends Exception {
    private static final long serialVersionUID = 1L;

    public NotHandledException(@Nullable ConsumeResult result) {
        super("the listener returned " + result, null, false, false); // where it was thrown tells nothing
    }
}

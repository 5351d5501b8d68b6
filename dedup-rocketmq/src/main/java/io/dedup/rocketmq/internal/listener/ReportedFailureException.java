package io.dedup.rocketmq.internal.listener;

import org.apache.rocketmq.client.apis.consumer.ConsumeResult;
import org.jspecify.annotations.Nullable;

/** A listener reported a failure by what it returned. */
final class ReportedFailureException extends Exception {
    private static final long serialVersionUID = 1L;

    ReportedFailureException(@Nullable ConsumeResult result) {
        super("the listener returned " + result, null, false, false); // where it was thrown tells nothing
    }
}

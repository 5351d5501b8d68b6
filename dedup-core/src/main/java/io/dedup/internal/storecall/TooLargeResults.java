package io.dedup.internal.storecall;

import io.dedup.DedupListener;
import io.dedup.internal.listener.SafeListeners;
import io.dedup.store.CompleteRequest;
import io.dedup.store.ResultTooLargeException;
import io.dedup.store.WriteResult;
import java.util.ArrayList;
import java.util.List;

/**
 * Repeats completions without their results if the store rejects those because of their size. The limit is checked
 * before a result is sent, but a server's setting may have changed since. A completion that always fails would make its
 * message run again and again.
 */
final class TooLargeResults {
    private TooLargeResults() {}

    static boolean is(CompleteRequest request, WriteResult answer) {
        return request.result() != null
                && answer instanceof WriteResult.StoreError error
                && error.cause() instanceof ResultTooLargeException;
    }

    /** Repeats the completions whose results were too large without them, and returns all answers. */
    static List<WriteResult> repeat(
            List<CompleteRequest> requests,
            List<WriteResult> answers,
            Call call,
            SafeListeners<DedupListener> notifier) {
        List<CompleteRequest> again = new ArrayList<>(1);
        for (int i = 0; i < requests.size(); i++) {
            if (is(requests.get(i), answers.get(i))) {
                again.add(leaveOut(requests.get(i), notifier));
            }
        }
        List<WriteResult> second = call.complete(again);
        List<WriteResult> all = new ArrayList<>(answers);
        int next = 0;
        for (int i = 0; i < requests.size(); i++) {
            if (is(requests.get(i), answers.get(i))) {
                all.set(i, second.get(next++));
            }
        }
        return all;
    }

    /** Returns the request without its result, and reports that to the listeners. */
    private static CompleteRequest leaveOut(CompleteRequest request, SafeListeners<DedupListener> notifier) {
        byte[] result = request.result();
        int bytes = result == null ? 0 : result.length;
        notifier.report(listener -> listener.resultNotKept(request.claim().key(), bytes));
        return request.withoutResult();
    }

    /** A call of the store. */
    interface Call {
        List<WriteResult> complete(List<CompleteRequest> requests);
    }
}

package io.dedup.internal.storecall;

import io.dedup.DedupListener;
import io.dedup.internal.listener.SafeListeners;
import io.dedup.store.CompleteRequest;
import io.dedup.store.ResultTooLargeException;
import io.dedup.store.WriteResult;
import java.util.ArrayList;
import java.util.List;

/**
 * Completes without their results what the store doesn't take with them. The limit is asked for before a result is sent, but a
 * server's setting may have changed since. A completion that failed for ever would have its message run again for ever.
 */
final class TooLargeResults {
    private TooLargeResults() {}

    static boolean is(CompleteRequest request, WriteResult answer) {
        return request.result() != null
                && answer instanceof WriteResult.StoreError error
                && error.cause() instanceof ResultTooLargeException;
    }

    /** The request without its result, which is reported. */
    static CompleteRequest leaveOut(CompleteRequest request, SafeListeners<DedupListener> notifier) {
        byte[] result = request.result();
        int bytes = result == null ? 0 : result.length;
        notifier.tell(listener -> listener.resultNotKept(request.claim().key(), bytes));
        return request.withoutResult();
    }

    /** Asks about all, and once more, without their results, about those that were too large. */
    static List<WriteResult> retry(List<CompleteRequest> requests, Call call, SafeListeners<DedupListener> notifier) {
        List<WriteResult> answers = call.complete(requests);
        List<CompleteRequest> again = new ArrayList<>(0);
        for (int i = 0; i < requests.size(); i++) {
            if (is(requests.get(i), answers.get(i))) {
                again.add(leaveOut(requests.get(i), notifier));
            }
        }
        if (again.isEmpty()) {
            return answers;
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

    /** A call of the store. */
    public interface Call {
        List<WriteResult> complete(List<CompleteRequest> requests);
    }
}

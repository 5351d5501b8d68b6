package io.dedup.store.jdbc.internal.operation;

import static java.util.Objects.requireNonNull;

import io.dedup.DedupKey;
import io.dedup.store.CompleteRequest;
import io.dedup.store.ResultTooLargeException;
import io.dedup.store.WriteResult;
import io.dedup.store.jdbc.internal.connection.OwnConnections;
import io.dedup.store.jdbc.internal.connection.OwnConnections.Borrowed;
import io.dedup.store.jdbc.internal.failure.SqlFailures;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Does not send completions that exceed the server's limit. A statement that is too large may break the connection,
 * which looks like an outage and makes every other completion of its batch fail. Thread-safe.
 */
final class CompletionSizes {
    private final StatementSize statementSize;
    private final SqlFailures failures;
    private final OwnConnections connections;
    private final Function<List<CompleteRequest>, List<WriteResult>> send;

    CompletionSizes(
            StatementSize statementSize,
            SqlFailures failures,
            OwnConnections connections,
            Function<List<CompleteRequest>, List<WriteResult>> send) {
        this.statementSize = statementSize;
        this.failures = failures;
        this.connections = connections;
        this.send = send;
    }

    List<WriteResult> complete(List<CompleteRequest> requests) {
        if (requests.stream().allMatch(request -> request.result() == null)) {
            return send.apply(requests);
        }
        askIfDoubted();
        if (requests.stream().noneMatch(this::isTooLarge)) { // nearly always
            return sent(requests);
        }
        List<CompleteRequest> fitting = new ArrayList<>(requests.size());
        Map<DedupKey, WriteResult> answers = new HashMap<>(2 * requests.size());
        for (CompleteRequest request : requests) {
            byte[] result = request.result();
            if (result != null && isTooLarge(request)) {
                ResultTooLargeException error =
                        failures.resultTooLarge("complete", result.length, statementSize.maxResult());
                answers.put(request.claim().key(), new WriteResult.StoreError(error));
            } else {
                fitting.add(request);
            }
        }
        List<WriteResult> sent = sent(fitting);
        for (int i = 0; i < fitting.size(); i++) {
            answers.put(fitting.get(i).claim().key(), sent.get(i));
        }
        List<WriteResult> all = new ArrayList<>(requests.size());
        requests.forEach(
                request -> all.add(requireNonNull(answers.get(request.claim().key()))));
        return all;
    }

    private boolean isTooLarge(CompleteRequest request) {
        byte[] result = request.result();
        return result != null && !statementSize.fits(result);
    }

    private List<WriteResult> sent(List<CompleteRequest> fitting) {
        List<WriteResult> answers = send.apply(fitting);
        for (int i = 0; i < fitting.size(); i++) {
            if (fitting.get(i).result() != null && answers.get(i) instanceof WriteResult.StoreError) {
                statementSize.doubt();
            }
        }
        return answers;
    }

    /**
     * Reads the limit again if it is in doubt. If this fails, the completion continues and fails for the same reason.
     */
    private void askIfDoubted() {
        if (!statementSize.isDoubted()) {
            return;
        }
        try (Borrowed borrowed = connections.open()) {
            statementSize.ask(borrowed.connection());
        } catch (SQLException e) {
            statementSize.doubt();
        }
    }
}

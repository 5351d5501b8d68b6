package io.dedup.engine;

import static java.util.Objects.requireNonNull;

import io.dedup.Window;
import io.dedup.engine.Execution.Guard;
import io.dedup.store.CompleteRequest;
import io.dedup.store.WriteResult;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Tells the store in front what the records have decided. Never waits for it: what it doesn't get to know costs a later
 * duplicate a question to the database, and nothing else.
 */
final class Front {
    private final StoreCalls store;
    private final Heartbeat heartbeat;
    private final BackgroundWrites background;

    Front(StoreCalls store, Heartbeat heartbeat, BackgroundWrites background) {
        this.store = store;
        this.heartbeat = heartbeat;
        this.background = background;
    }

    /** The transaction of these runs is committed; the records among them have something to tell. */
    void committed(List<Execution> closed, byte @Nullable [] result) {
        List<Execution> claimed = new ArrayList<>(closed.size());
        List<CompleteRequest> requests = new ArrayList<>(closed.size());
        for (Execution execution : closed) {
            if (execution.guard() == Guard.CLAIMED && execution.hasRecord()) {
                claimed.add(execution);
                requests.add(request(execution, execution.topic().policy().window(), execution.stored(result), false));
            }
        }
        complete(claimed, requests);
    }

    /** A run whose record says that the message is done, which the store has forgotten, or never knew. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Repair(Execution execution, Window left, byte @Nullable [] stored) {}

    /** Tells the store what the records say. */
    void repair(List<Repair> repairs) {
        List<Execution> claimed = new ArrayList<>(repairs.size());
        List<CompleteRequest> requests = new ArrayList<>(repairs.size());
        for (Repair repair : repairs) {
            Execution execution = repair.execution();
            if (execution.guard() == Guard.CLAIMED && execution.close()) {
                claimed.add(execution);
                requests.add(request(execution, repair.left(), repair.stored(), false));
            }
        }
        complete(claimed, requests);
    }

    private void complete(List<Execution> executions, List<CompleteRequest> requests) {
        if (requests.isEmpty()) {
            return;
        }
        List<WriteResult> answers =
                requests.size() == 1 ? List.of(store.complete(requests.get(0))) : store.completeAll(requests);
        for (int i = 0; i < executions.size(); i++) {
            heartbeat.remove(executions.get(i));
            if (answers.get(i) instanceof WriteResult.StoreError) {
                CompleteRequest request = requests.get(i);
                background.complete(
                        request(executions.get(i), request.window(), request.result(), true), executions.get(i));
            }
        }
    }

    private static CompleteRequest request(
            Execution execution, Window window, byte @Nullable [] result, boolean repeated) {
        return new CompleteRequest(requireNonNull(execution.claim()), window, result, repeated);
    }
}

package io.dedup.internal.transaction;

import static java.util.Objects.requireNonNull;

import io.dedup.internal.background.BackgroundWrites;
import io.dedup.internal.lease.Heartbeat;
import io.dedup.internal.run.AdmittedRun;
import io.dedup.internal.run.AdmittedRun.Guard;
import io.dedup.internal.run.RemainingWindow;
import io.dedup.internal.storecall.StoreCalls;
import io.dedup.policy.Window;
import io.dedup.store.Claim;
import io.dedup.store.CompleteRequest;
import io.dedup.store.ReleaseMode;
import io.dedup.store.ReleaseRequest;
import io.dedup.store.WriteResult;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Updates the front store after the database records have decided. Never waits for it: a missed update only costs a
 * later duplicate a database query.
 *
 * <p>It learns of a success only after the database's commit. If it knew earlier and the commit failed, it would answer the
 * redelivered message that it is a duplicate, nobody would ask the database, and the effect would be lost.
 */
public final class FrontStore {
    private final StoreCalls store;
    private final Heartbeat heartbeat;
    private final BackgroundWrites background;

    public FrontStore(StoreCalls store, Heartbeat heartbeat, BackgroundWrites background) {
        this.store = store;
        this.heartbeat = heartbeat;
        this.background = background;
    }

    /**
     * A run whose record says that the message is done.
     *
     * @param rest of the record's window
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Done(AdmittedRun execution, RemainingWindow rest, byte @Nullable [] stored) {}

    /** Completes the front store's claims after the transaction of these runs has committed. */
    void committed(OpenTransaction transaction, List<AdmittedRun> closed, byte @Nullable [] result) {
        List<Done> done = new ArrayList<>(closed.size());
        for (AdmittedRun execution : closed) {
            if (execution.guard() == Guard.CLAIMED && execution.hasRecord()) {
                RemainingWindow rest =
                        transaction.rest(execution.topic().policy().window());
                done.add(new Done(execution, rest, execution.stored(result)));
            }
        }
        complete(done);
    }

    /** Completes messages that are done according to their database records, but unknown to the front store. */
    void repair(List<Done> repairs) {
        List<Done> done = new ArrayList<>(repairs.size());
        for (Done repair : repairs) {
            if (repair.execution().guard() == Guard.CLAIMED
                    && repair.execution().close()) {
                done.add(repair);
            }
        }
        complete(done);
    }

    private void complete(List<Done> all) {
        long now = System.nanoTime();
        List<Done> toSend = new ArrayList<>(all.size());
        List<CompleteRequest> requests = new ArrayList<>(all.size());
        for (Done each : all) {
            Window left = each.rest().leftInFront(now);
            if (left == null) { // the database record has expired, too
                heartbeat.remove(each.execution());
                background.release(
                        new ReleaseRequest(claim(each), ReleaseMode.NOT_STARTED),
                        each.execution().topic().policy().lease());
            } else {
                toSend.add(each);
                requests.add(new CompleteRequest(claim(each), left, each.stored(), false));
            }
        }
        List<WriteResult> answers = store.complete(requests);
        for (int i = 0; i < toSend.size(); i++) {
            Done each = toSend.get(i);
            heartbeat.remove(each.execution());
            if (answers.get(i) instanceof WriteResult.StoreError) {
                background.complete(
                        new CompleteRequest(claim(each), requests.get(i).window(), each.stored(), true),
                        each.rest(),
                        each.execution());
            }
        }
    }

    private static Claim claim(Done done) {
        return requireNonNull(done.execution().claim());
    }
}

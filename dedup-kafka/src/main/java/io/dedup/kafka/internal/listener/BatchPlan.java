package io.dedup.kafka.internal.listener;

import io.dedup.adapter.Admission;
import io.dedup.adapter.BatchAdmission;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Execution;
import io.dedup.kafka.internal.ack.PendingDelivery;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What happens to each record of a batch: those before the cut are finished, the first one that can't be decided or
 * handled is where the batch is cut, and what is behind it comes again.
 *
 * @param admissions of each record; null where the handler has the message already, see {@code firsts}
 * @param firsts by the index of a copy: what it is a copy of
 * @param cut the index of the first deferral or rejection; the size when there is none
 * @param runs the indexes before the cut that the handler gets
 */
record BatchPlan(
        List<@Nullable Admission> admissions, Map<Integer, PendingDelivery> firsts, int cut, List<Integer> runs) {

    static BatchPlan of(List<@Nullable Admission> admissions, Map<Integer, PendingDelivery> firsts) {
        int cut = 0;
        List<Integer> runs = new ArrayList<>();
        while (cut < admissions.size() && !cuts(admissions.get(cut))) {
            if (admissions.get(cut) instanceof Admission.Run) {
                runs.add(cut);
            }
            cut++;
        }
        return new BatchPlan(admissions, firsts, cut, runs);
    }

    /** One record of a batch that runs alone; the others aren't the plan's. */
    static BatchPlan alone(int index) {
        return new BatchPlan(List.of(), Map.of(), 0, List.of(index));
    }

    /** What was admitted to run, for one who can't go on with the batch. */
    static List<Execution> executions(BatchAdmission batch) {
        List<Execution> executions = new ArrayList<>(batch.admissions().size());
        for (Admission admission : batch.admissions()) {
            if (admission instanceof Admission.Run run) {
                executions.add(run.execution());
            }
        }
        return executions;
    }

    private static boolean cuts(@Nullable Admission admission) {
        return admission instanceof Admission.Defer || admission instanceof Admission.Reject;
    }

    /** The admissions of some of a batch's records in their places, with the leaders' indexes translated. */
    static List<@Nullable Admission> spread(List<Admission> some, List<Integer> indexes, int size) {
        if (some.size() == size) {
            return List.copyOf(some);
        }
        Map<Integer, Admission> placed = new TreeMap<>();
        for (int i = 0; i < some.size(); i++) {
            placed.put(
                    indexes.get(i),
                    some.get(i) instanceof Admission.Follow follow
                            ? new Admission.Follow(indexes.get(follow.leader()))
                            : some.get(i));
        }
        List<@Nullable Admission> all = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
            all.add(placed.get(i));
        }
        return all;
    }

    /** The plan with what became of its runs in their transaction, in their order. */
    BatchPlan decided(List<Admission> ofRuns) {
        List<@Nullable Admission> all = new ArrayList<>(admissions);
        for (int i = 0; i < runs.size(); i++) {
            all.set(runs.get(i), ofRuns.get(i));
        }
        return of(all, firsts);
    }

    boolean isCut() {
        return cut < admissions.size();
    }

    Execution execution(int index) {
        if (admissions.get(index) instanceof Admission.Run run) {
            return run.execution();
        }
        throw new IllegalStateException("record " + index + " of the batch doesn't run");
    }

    List<Execution> executions() {
        return runs.stream().map(this::execution).toList();
    }

    /** Gives the claims behind the cut back, their attempts as well: those records haven't been started. */
    void giveBackBehindCut(DedupAdapter engine) {
        List<Execution> behind = new ArrayList<>();
        for (int i = cut; i < admissions.size(); i++) {
            if (admissions.get(i) instanceof Admission.Run run) {
                behind.add(run.execution());
            }
        }
        if (!behind.isEmpty()) {
            engine.failAll(behind, null);
        }
    }
}

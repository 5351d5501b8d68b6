package io.dedup.kafka.internal.listener;

import io.dedup.adapter.Admission;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Execution;
import io.dedup.kafka.internal.ack.PendingDelivery;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What happens to each record of a batch: those before the cut are finished, the batch is cut at the first record that
 * cannot be decided or handled, and everything behind it is redelivered.
 *
 * @param admissions one for each record; null if the handler has the message already, see {@code firsts}
 * @param firsts by the index of a copy: the delivery that it is a copy of
 * @param cut the index of the first deferral or rejection; the size if there is none
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

    /** A plan for one record of a batch that runs alone. */
    static BatchPlan alone(int index) {
        return new BatchPlan(List.of(), Map.of(), 0, List.of(index));
    }

    private static boolean cuts(@Nullable Admission admission) {
        return admission instanceof Admission.Defer || admission instanceof Admission.Reject;
    }

    /** Puts the admissions of some of a batch's records in their places, and translates the leaders' indexes. */
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

    /** Returns the plan with the outcomes that the transaction's records have given its runs, in their order. */
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
        throw new IllegalStateException("Record " + index + " of the batch doesn't run");
    }

    List<Execution> executions() {
        return runs.stream().map(this::execution).toList();
    }

    /** Releases the claims behind the cut with their attempts, because those records haven't been started. */
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

package io.dedup.adapter;

import java.util.List;

/**
 * What an adapter does with a batch.
 *
 * @param admissions one for each delivery, in order; empty when {@code isolate} is set
 * @param isolate whether some message of the batch was running when a process died: nothing is claimed, and each
 *     delivery is to be admitted and run on its own, in order, so that only the one that kills is charged for it
 */
public record BatchAdmission(List<Admission> admissions, boolean isolate) {
    public BatchAdmission {
        admissions = List.copyOf(admissions);
    }
}

package io.dedup.adapter;

import java.util.List;

/**
 * The decisions about a batch, which the adapter carries out.
 *
 * @param admissions one for each delivery, in order; empty if {@code isolate} is set
 * @param isolate whether a message of the batch was in flight when a process crashed. Nothing is claimed then: admit
 *     and run each delivery on its own, in order, so that only the message that crashes the process is counted
 */
public record BatchAdmission(List<Admission> admissions, boolean isolate) {
    public BatchAdmission {
        admissions = List.copyOf(admissions);
    }
}

package io.dedup.adapter;

import java.util.List;

/**
 * The decisions about a batch, which the adapter carries out.
 *
 * @param admissions one for each delivery, in order; empty if {@code isolate} is set
 * @param isolate whether a message of the batch was claimed when a process crashed. Nothing is claimed then, also if the batch has
 *     only one message: admit and run each delivery on its own, in order, so that only the message that crashes the process is
 *     counted. Admit it when it can begin at once, and settle what ran before it first
 */
public record BatchAdmission(List<Admission> admissions, boolean isolate) {
    public BatchAdmission {
        admissions = List.copyOf(admissions);
    }
}

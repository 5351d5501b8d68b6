package io.dedup.protocol;

import io.dedup.adapter.Execution;
import io.dedup.store.Claim;
import java.util.List;

/** A handler that runs. */
final class Run {
    final Node node;
    final List<Copy> copies;
    final Execution execution;
    final Claim claim;
    boolean effected;
    /** Its step has run, or was kept. */
    boolean stepped;

    /** @param copies the message, and those copies of it that came with it and follow it */
    Run(Node node, List<Copy> copies, Execution execution, Claim claim) {
        this.node = node;
        this.copies = copies;
        this.execution = execution;
        this.claim = claim;
    }
}

package io.dedup.testkit.faults;

import io.dedup.DedupKey;
import io.dedup.DedupScope;
import io.dedup.testkit.faults.StoreFault.Operation;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;

/** An injected fault, with the number of its hits. Thread-safe. */
final class ActiveFault {
    /** The key of a call that has none. */
    static final DedupKey NO_KEY =
            DedupScope.of("io.dedup.testkit.faults", "none").key("none");

    private final StoreFault fault;
    private final Random random;
    private int seen;
    private int struck;

    ActiveFault(StoreFault fault) {
        this.fault = fault;
        this.random = new Random(fault.seed());
    }

    StoreFault fault() {
        return fault;
    }

    /** The keys of this call that the fault hits; empty if it doesn't hit the call. */
    Set<DedupKey> strikes(Operation operation, List<DedupKey> keys) {
        if (!fault.isFor(operation)) {
            return Set.of();
        }
        Set<DedupKey> hit = keys.stream()
                .filter(key -> fault.isFor(key.equals(NO_KEY) ? null : key))
                .collect(Collectors.toSet());
        return !hit.isEmpty() && isDue() ? hit : Set.of();
    }

    private synchronized boolean isDue() {
        if (random.nextDouble() >= fault.share() || seen++ < fault.skipped() || struck >= fault.times()) {
            return false;
        }
        struck++;
        return true;
    }
}

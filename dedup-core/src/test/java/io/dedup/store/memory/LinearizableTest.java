package io.dedup.store.memory;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dedup.DedupKey;
import io.dedup.DedupScope;
import io.dedup.LiveLease;
import io.dedup.policy.Window;
import io.dedup.store.Claim;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.CompleteRequest;
import io.dedup.store.DedupStore;
import io.dedup.store.Owner;
import io.dedup.store.ReleaseMode;
import io.dedup.store.ReleaseRequest;
import io.dedup.store.RenewRequest;
import io.dedup.store.StoredRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Whatever threads do at the same time, the store answers as if they had done it one after the other. */
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("lincheck") // attaches an agent to the JVM
class LinearizableTest {
    private static final Duration LEASE = Duration.ofMinutes(1);

    /** One key whose last owner's lease is over, and two owners. */
    @Param(name = "owner", gen = IntGen.class, conf = "1:2")
    public static class Store {
        private static final DedupKey KEY = DedupScope.of("group", "topic").key("a");

        private Instant now = Instant.parse("2026-03-01T08:30:00Z");
        private final DedupStore store = new InMemoryDedupStore(() -> now, Duration.ofDays(7));

        public Store() {
            var unused = store.claim(List.of(new ClaimRequest(KEY, new Owner("dead"), LEASE)))
                    .get(0);
            now = now.plus(LEASE); // stands still from here: a moving clock has no place in an order of calls
        }

        private static Claim claimOf(int owner) {
            return new Claim(KEY, new Owner("o" + owner), 1);
        }

        @Operation
        public String claim(@Param(name = "owner") int owner) {
            ClaimResult answer = store.claim(List.of(new ClaimRequest(KEY, new Owner("o" + owner), LEASE)))
                    .get(0);
            return answer instanceof ClaimResult.AlreadyDone ? "done" : answer.toString();
        }

        @Operation
        public boolean complete(@Param(name = "owner") int owner) {
            return store.complete(List.of(new CompleteRequest(claimOf(owner), Window.of(LEASE), null, false)))
                    .get(0)
                    .isApplied();
        }

        @Operation
        public boolean release(@Param(name = "owner") int owner) {
            return store.release(List.of(new ReleaseRequest(claimOf(owner), ReleaseMode.STARTED)))
                    .get(0)
                    .isApplied();
        }

        @Operation
        public boolean renew(@Param(name = "owner") int owner) {
            return store.renew(List.of(new RenewRequest(claimOf(owner), LEASE)))
                    .get(0)
                    .isApplied();
        }

        @Operation
        public String find() {
            return store.find(KEY)
                    .map(found -> found.state() + " " + found.attempt() + " " + found.fencingToken())
                    .orElse("absent");
        }
    }

    /** Looks first, and then takes. */
    @Param(name = "owner", gen = IntGen.class, conf = "1:2")
    public static class CheckThenSet {
        private final Store store = new Store();

        @Operation
        public boolean claim(@Param(name = "owner") int owner) {
            boolean free = store.store
                    .find(Store.KEY)
                    .map(found -> found.state() != StoredRecord.State.PROCESSING)
                    .orElse(true);
            if (free) {
                var unused = store.store.forget(Store.KEY, LiveLease.OVERRIDE);
                var claimed = store.claim(owner);
                return claimed.startsWith("Acquired");
            }
            return false;
        }
    }

    private static ModelCheckingOptions options() {
        return new ModelCheckingOptions()
                .threads(2)
                .actorsPerThread(3)
                .actorsBefore(0)
                .actorsAfter(1)
                .iterations(8)
                .invocationsPerIteration(100);
    }

    @Test
    @DisplayName("claims, takeovers, completions, releases and renewals are linearizable")
    void linearizable() {
        options().check(Store.class);
    }

    @Test
    @DisplayName("a check before a set is found")
    void checkThenSet() {
        assertThatThrownBy(() -> options().check(CheckThenSet.class)).isInstanceOf(LincheckAssertionError.class);
    }
}

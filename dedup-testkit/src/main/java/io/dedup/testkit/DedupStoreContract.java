package io.dedup.testkit;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;

/**
 * What every dedup store does. A store proves it with one test class:
 *
 * <pre>{@code
 * class MyStoreContractTest extends DedupStoreContract {
 *     @Override
 *     protected StoreFixture newFixture() {
 *         return new MyStoreFixture(...);
 *     }
 * }
 * }</pre>
 *
 * <p>See {@link StoreFixture} for what to give it. Run it against the real server, not against a mock: races, clocks
 * and collations are what it is about. Every transition is checked in its single and in its batch form. Tests never
 * sleep and assume nothing about speed; they hold leases of an hour and {@link StoreFixture#advance} the time.
 *
 * <p>It doesn't check what no store has in common: outages, restarts and what a full server does are for the store's
 * own tests.
 */
public abstract class DedupStoreContract {
    /** For subclasses. */
    protected DedupStoreContract() {}

    /** Opens a fixture; called once for each group of tests, and closed when the group is done. */
    protected abstract StoreFixture newFixture() throws Exception;

    @Nested
    @DisplayName("claim")
    class Claims extends ClaimContract {
        @Override
        StoreFixture newFixture() throws Exception {
            return DedupStoreContract.this.newFixture();
        }
    }

    @Nested
    @DisplayName("complete")
    class Completions extends CompleteContract {
        @Override
        StoreFixture newFixture() throws Exception {
            return DedupStoreContract.this.newFixture();
        }
    }

    @Nested
    @DisplayName("release")
    class Releases extends ReleaseContract {
        @Override
        StoreFixture newFixture() throws Exception {
            return DedupStoreContract.this.newFixture();
        }
    }

    @Nested
    @DisplayName("renew")
    class Renewals extends RenewContract {
        @Override
        StoreFixture newFixture() throws Exception {
            return DedupStoreContract.this.newFixture();
        }
    }

    @Nested
    @DisplayName("ownership")
    class Ownership extends OwnershipContract {
        @Override
        StoreFixture newFixture() throws Exception {
            return DedupStoreContract.this.newFixture();
        }
    }

    @Nested
    @DisplayName("every state")
    class Situations extends FindContract {
        @Override
        StoreFixture newFixture() throws Exception {
            return DedupStoreContract.this.newFixture();
        }
    }

    @Nested
    @DisplayName("fencing tokens")
    class Tokens extends TokenContract {
        @Override
        StoreFixture newFixture() throws Exception {
            return DedupStoreContract.this.newFixture();
        }
    }

    @Nested
    @DisplayName("fingerprints")
    class Fingerprints extends FingerprintContract {
        @Override
        StoreFixture newFixture() throws Exception {
            return DedupStoreContract.this.newFixture();
        }
    }

    @Nested
    @DisplayName("results")
    class Results extends ResultContract {
        @Override
        StoreFixture newFixture() throws Exception {
            return DedupStoreContract.this.newFixture();
        }
    }

    @Nested
    @DisplayName("expiry")
    class Expiry extends ExpiryContract {
        @Override
        StoreFixture newFixture() throws Exception {
            return DedupStoreContract.this.newFixture();
        }
    }

    @Nested
    @DisplayName("operators")
    class Operators extends OperatorContract {
        @Override
        StoreFixture newFixture() throws Exception {
            return DedupStoreContract.this.newFixture();
        }
    }

    @Nested
    @DisplayName("batches")
    class Batches extends BatchContract {
        @Override
        StoreFixture newFixture() throws Exception {
            return DedupStoreContract.this.newFixture();
        }
    }

    @Nested
    @DisplayName("hostile IDs")
    class HostileIdentities extends HostileIdContract {
        @Override
        StoreFixture newFixture() throws Exception {
            return DedupStoreContract.this.newFixture();
        }
    }

    @Nested
    @DisplayName("races")
    class Races extends RaceContract {
        @Override
        StoreFixture newFixture() throws Exception {
            return DedupStoreContract.this.newFixture();
        }
    }

    @Nested
    @DisplayName("races of batches")
    class BatchRaces extends BatchRaceContract {
        @Override
        StoreFixture newFixture() throws Exception {
            return DedupStoreContract.this.newFixture();
        }
    }

    @Nested
    @DisplayName("random histories")
    class Histories extends StateMachineContract {
        @Override
        StoreFixture newFixture() throws Exception {
            return DedupStoreContract.this.newFixture();
        }
    }

    @Nested
    @DisplayName("lifecycle")
    class Lifecycle extends LifecycleContract {
        @Override
        StoreFixture newFixture() throws Exception {
            return DedupStoreContract.this.newFixture();
        }
    }
}

package io.dedup.testkit;

import io.dedup.testkit.fixture.StoreFixture;
import io.dedup.testkit.internal.contract.BatchContract;
import io.dedup.testkit.internal.contract.BatchRaceContract;
import io.dedup.testkit.internal.contract.ClaimContract;
import io.dedup.testkit.internal.contract.CompleteContract;
import io.dedup.testkit.internal.contract.EraseContract;
import io.dedup.testkit.internal.contract.EveryStateContract;
import io.dedup.testkit.internal.contract.ExpiryContract;
import io.dedup.testkit.internal.contract.ExplainedContract;
import io.dedup.testkit.internal.contract.FingerprintContract;
import io.dedup.testkit.internal.contract.HostileIdContract;
import io.dedup.testkit.internal.contract.ImportContract;
import io.dedup.testkit.internal.contract.LifecycleContract;
import io.dedup.testkit.internal.contract.OperatorContract;
import io.dedup.testkit.internal.contract.OwnershipContract;
import io.dedup.testkit.internal.contract.RaceContract;
import io.dedup.testkit.internal.contract.ReleaseContract;
import io.dedup.testkit.internal.contract.RenewContract;
import io.dedup.testkit.internal.contract.ResultContract;
import io.dedup.testkit.internal.contract.StepContract;
import io.dedup.testkit.internal.contract.StuckContract;
import io.dedup.testkit.internal.contract.TokenContract;
import io.dedup.testkit.internal.history.RandomHistoryContract;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/**
 * The contract of every {@link io.dedup.store.DedupStore}. A store proves that it meets the contract with one test
 * class:
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
 * <p>{@link StoreFixture} describes what the store must provide for this. Run the contract against the real server, not
 * against a mock: it tests races, clocks and collations. Every operation is checked for a request alone and for one
 * among others. The tests never sleep and don't depend on speed: they hold leases of an hour and {@link StoreFixture#advance}
 * the time.
 *
 * <p>Each group has a tag, so that you can run it alone while you write a store. A good order is: {@code claim},
 * {@code complete}, {@code release}, {@code renew}, {@code ownership}, {@code every-state}, {@code fencing-tokens},
 * {@code fingerprints}, {@code results}, {@code expiry}, {@code operators}, {@code imports}, {@code stuck}, {@code steps},
 * {@code explained}, {@code batches}, {@code hostile-ids}, {@code races}, {@code races-of-batches}, {@code random-histories}, {@code lifecycle}.
 *
 * <p>The contract doesn't cover behavior that differs between stores: outages, restarts and full servers need tests of
 * the store's own.
 */
public abstract class DedupStoreContract {
    /** For subclasses. */
    protected DedupStoreContract() {}

    /** Opens a fixture. Called once for each group of tests; the fixture is closed when the group has finished. */
    protected abstract StoreFixture newFixture() throws Exception;

    @Nested
    @Tag("claim")
    @DisplayName("claim")
    class Claims extends ClaimContract {
        @Override
        protected StoreFixture newFixture() throws Exception {
            return DedupStoreContract.this.newFixture();
        }
    }

    @Nested
    @Tag("complete")
    @DisplayName("complete")
    class Completions extends CompleteContract {
        @Override
        protected StoreFixture newFixture() throws Exception {
            return DedupStoreContract.this.newFixture();
        }
    }

    @Nested
    @Tag("release")
    @DisplayName("release")
    class Releases extends ReleaseContract {
        @Override
        protected StoreFixture newFixture() throws Exception {
            return DedupStoreContract.this.newFixture();
        }
    }

    @Nested
    @Tag("renew")
    @DisplayName("renew")
    class Renewals extends RenewContract {
        @Override
        protected StoreFixture newFixture() throws Exception {
            return DedupStoreContract.this.newFixture();
        }
    }

    @Nested
    @Tag("ownership")
    @DisplayName("ownership")
    class Ownership extends OwnershipContract {
        @Override
        protected StoreFixture newFixture() throws Exception {
            return DedupStoreContract.this.newFixture();
        }
    }

    @Nested
    @Tag("every-state")
    @DisplayName("every state")
    class Situations extends EveryStateContract {
        @Override
        protected StoreFixture newFixture() throws Exception {
            return DedupStoreContract.this.newFixture();
        }
    }

    @Nested
    @Tag("fencing-tokens")
    @DisplayName("fencing tokens")
    class Tokens extends TokenContract {
        @Override
        protected StoreFixture newFixture() throws Exception {
            return DedupStoreContract.this.newFixture();
        }
    }

    @Nested
    @Tag("fingerprints")
    @DisplayName("fingerprints")
    class Fingerprints extends FingerprintContract {
        @Override
        protected StoreFixture newFixture() throws Exception {
            return DedupStoreContract.this.newFixture();
        }
    }

    @Nested
    @Tag("results")
    @DisplayName("results")
    class Results extends ResultContract {
        @Override
        protected StoreFixture newFixture() throws Exception {
            return DedupStoreContract.this.newFixture();
        }
    }

    @Nested
    @Tag("expiry")
    @DisplayName("expiry")
    class Expiry extends ExpiryContract {
        @Override
        protected StoreFixture newFixture() throws Exception {
            return DedupStoreContract.this.newFixture();
        }
    }

    @Nested
    @Tag("operators")
    @DisplayName("operators")
    class Operators extends OperatorContract {
        @Override
        protected StoreFixture newFixture() throws Exception {
            return DedupStoreContract.this.newFixture();
        }
    }

    @Nested
    @Tag("imports")
    @DisplayName("imports")
    class Imports extends ImportContract {
        @Override
        protected StoreFixture newFixture() throws Exception {
            return DedupStoreContract.this.newFixture();
        }
    }

    @Nested
    @Tag("stuck")
    @DisplayName("what is stuck")
    class Stuck extends StuckContract {
        @Override
        protected StoreFixture newFixture() throws Exception {
            return DedupStoreContract.this.newFixture();
        }
    }

    @Nested
    @Tag("steps")
    @DisplayName("steps")
    class Steps extends StepContract {
        @Override
        protected StoreFixture newFixture() throws Exception {
            return DedupStoreContract.this.newFixture();
        }
    }

    @Nested
    @Tag("explained")
    @DisplayName("explained duplicates")
    class Explained extends ExplainedContract {
        @Override
        protected StoreFixture newFixture() throws Exception {
            return DedupStoreContract.this.newFixture();
        }
    }

    @Nested
    @Tag("erase")
    @DisplayName("erase")
    class Erasing extends EraseContract {
        @Override
        protected StoreFixture newFixture() throws Exception {
            return DedupStoreContract.this.newFixture();
        }
    }

    @Nested
    @Tag("batches")
    @DisplayName("batches")
    class Batches extends BatchContract {
        @Override
        protected StoreFixture newFixture() throws Exception {
            return DedupStoreContract.this.newFixture();
        }
    }

    @Nested
    @Tag("hostile-ids")
    @DisplayName("hostile IDs")
    class HostileIdentities extends HostileIdContract {
        @Override
        protected StoreFixture newFixture() throws Exception {
            return DedupStoreContract.this.newFixture();
        }
    }

    @Nested
    @Tag("races")
    @DisplayName("races")
    class Races extends RaceContract {
        @Override
        protected StoreFixture newFixture() throws Exception {
            return DedupStoreContract.this.newFixture();
        }
    }

    @Nested
    @Tag("races-of-batches")
    @DisplayName("races of batches")
    class BatchRaces extends BatchRaceContract {
        @Override
        protected StoreFixture newFixture() throws Exception {
            return DedupStoreContract.this.newFixture();
        }
    }

    @Nested
    @Tag("random-histories")
    @DisplayName("random histories")
    class Histories extends RandomHistoryContract {
        @Override
        protected StoreFixture newFixture() throws Exception {
            return DedupStoreContract.this.newFixture();
        }
    }

    @Nested
    @Tag("lifecycle")
    @DisplayName("lifecycle")
    class Lifecycle extends LifecycleContract {
        @Override
        protected StoreFixture newFixture() throws Exception {
            return DedupStoreContract.this.newFixture();
        }
    }
}

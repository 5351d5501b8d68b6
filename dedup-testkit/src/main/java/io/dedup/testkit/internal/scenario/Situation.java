package io.dedup.testkit.internal.scenario;

import io.dedup.LiveLease;
import io.dedup.policy.Window;
import io.dedup.store.Claim;
import io.dedup.store.ClaimResult;
import io.dedup.store.ReleaseMode;
import io.dedup.store.StoredRecord.State;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.provider.Arguments;

/** All states of a record, and how it gets there: the rows of the transition table. */
public enum Situation {
    ABSENT(null, false) {
        @Override
        public HeldClaim arrange(KeyUnderTest subject, Consumer<Duration> clock) {
            return new HeldClaim(
                    new Claim(subject.key(), UniqueNames.owner(), 1), new ClaimResult.Acquired(1, 0, false, 0));
        }
    },
    HELD(State.PROCESSING, true) {
        @Override
        public HeldClaim arrange(KeyUnderTest subject, Consumer<Duration> clock) {
            return subject.acquire(ContractGroup.RED);
        }
    },
    TAKEN_OVER(State.PROCESSING, true) {
        @Override
        public HeldClaim arrange(KeyUnderTest subject, Consumer<Duration> clock) {
            LEASE_OVER.arrange(subject, clock);
            return subject.acquire(ContractGroup.RED);
        }
    },
    LEASE_OVER(State.ABANDONED, true) {
        @Override
        public HeldClaim arrange(KeyUnderTest subject, Consumer<Duration> clock) {
            HeldClaim held = HELD.arrange(subject, clock);
            clock.accept(KeyUnderTest.LEASE);
            return held;
        }
    },
    TAKEN_OVER_LEASE_OVER(State.ABANDONED, true) {
        @Override
        public HeldClaim arrange(KeyUnderTest subject, Consumer<Duration> clock) {
            HeldClaim held = TAKEN_OVER.arrange(subject, clock);
            clock.accept(KeyUnderTest.LEASE);
            return held;
        }
    },
    /** The lease of a claim that wasn't made alone: its death doesn't count. */
    NOT_ALONE_LEASE_OVER(State.ABANDONED, true) {
        @Override
        public HeldClaim arrange(KeyUnderTest subject, Consumer<Duration> clock) {
            HeldClaim held = subject.acquire(UniqueNames.ownerNotAlone(), ContractGroup.RED);
            clock.accept(KeyUnderTest.LEASE);
            return held;
        }
    },
    NOT_ALONE_TAKEN_OVER(State.PROCESSING, true) {
        @Override
        public HeldClaim arrange(KeyUnderTest subject, Consumer<Duration> clock) {
            NOT_ALONE_LEASE_OVER.arrange(subject, clock);
            return subject.acquire(ContractGroup.RED);
        }
    },
    NOT_ALONE_DEAD_GIVEN_BACK(State.ABANDONED, false) {
        @Override
        public HeldClaim arrange(KeyUnderTest subject, Consumer<Duration> clock) {
            return released(subject, NOT_ALONE_TAKEN_OVER.arrange(subject, clock), ReleaseMode.NOT_STARTED);
        }
    },
    RELEASED(State.RELEASED, false) {
        @Override
        public HeldClaim arrange(KeyUnderTest subject, Consumer<Duration> clock) {
            return released(subject, HELD.arrange(subject, clock), ReleaseMode.STARTED);
        }
    },
    GIVEN_BACK(State.RELEASED, false) {
        @Override
        public HeldClaim arrange(KeyUnderTest subject, Consumer<Duration> clock) {
            return released(subject, HELD.arrange(subject, clock), ReleaseMode.NOT_STARTED);
        }
    },
    DEAD_GIVEN_BACK(State.ABANDONED, false) {
        @Override
        public HeldClaim arrange(KeyUnderTest subject, Consumer<Duration> clock) {
            return released(subject, TAKEN_OVER.arrange(subject, clock), ReleaseMode.NOT_STARTED);
        }
    },
    CONVICTED(State.RELEASED, false) {
        @Override
        public HeldClaim arrange(KeyUnderTest subject, Consumer<Duration> clock) {
            return released(subject, TAKEN_OVER.arrange(subject, clock), ReleaseMode.CONVICTED);
        }
    },
    RETENTION_OVER(null, false) {
        @Override
        public HeldClaim arrange(KeyUnderTest subject, Consumer<Duration> clock) {
            HeldClaim held = TAKEN_OVER.arrange(subject, clock);
            clock.accept(KeyUnderTest.LEASE.plus(subject.store().attemptRetention()));
            return held;
        }
    },
    DONE(State.DONE, false) {
        @Override
        public HeldClaim arrange(KeyUnderTest subject, Consumer<Duration> clock) {
            return completed(subject, HELD.arrange(subject, clock), KeyUnderTest.WINDOW);
        }
    },
    DONE_FOREVER(State.DONE, false) {
        @Override
        public HeldClaim arrange(KeyUnderTest subject, Consumer<Duration> clock) {
            return completed(subject, TAKEN_OVER.arrange(subject, clock), Window.forever());
        }
    },
    WINDOW_OVER(null, false) {
        @Override
        public HeldClaim arrange(KeyUnderTest subject, Consumer<Duration> clock) {
            HeldClaim held = DONE.arrange(subject, clock);
            clock.accept(KeyUnderTest.WINDOW_LENGTH);
            return held;
        }
    },
    FORGOTTEN(null, false) {
        @Override
        public HeldClaim arrange(KeyUnderTest subject, Consumer<Duration> clock) {
            HeldClaim held = HELD.arrange(subject, clock);
            subject.store().forget(subject.key(), LiveLease.OVERRIDE);
            clock.accept(Duration.ofMillis(1)); // on a clock that stands still, the next token would equal this one
            return held;
        }
    };

    private final @Nullable State state;
    private final boolean owned;

    Situation(@Nullable State state, boolean owned) {
        this.state = state;
        this.owned = owned;
    }

    /**
     * Brings a new key into this situation.
     *
     * @return its last claim; if it never had one, a claim that was never acquired
     */
    public abstract HeldClaim arrange(KeyUnderTest subject, Consumer<Duration> clock);

    /** Every situation with either form of the calls. */
    public static Stream<Arguments> inEachForm() {
        return Arrays.stream(values())
                .flatMap(situation -> Arrays.stream(CallForm.values()).map(form -> Arguments.of(situation, form)));
    }

    /** The state that {@code find} returns; null if there is no record. */
    public @Nullable State state() {
        return state;
    }

    /** Whether the claim that {@link #arrange} returns may still complete, release and renew. */
    public boolean isOwned() {
        return owned;
    }

    public boolean isLive() {
        return state == State.PROCESSING;
    }

    public boolean isDone() {
        return state == State.DONE;
    }

    /** How many attempts the record counts; 0 where there is none. */
    public int attempt() {
        return switch (this) {
            case ABSENT, GIVEN_BACK, RETENTION_OVER, WINDOW_OVER, FORGOTTEN -> 0;
            case HELD,
                    LEASE_OVER,
                    NOT_ALONE_LEASE_OVER,
                    RELEASED,
                    DEAD_GIVEN_BACK,
                    NOT_ALONE_DEAD_GIVEN_BACK,
                    CONVICTED,
                    DONE -> 1;
            case TAKEN_OVER, TAKEN_OVER_LEASE_OVER, NOT_ALONE_TAKEN_OVER, DONE_FOREVER -> 2;
        };
    }

    /** The deaths that the record counts, without a death that hasn't been followed by a takeover yet. */
    public int deaths() {
        return this == TAKEN_OVER || this == TAKEN_OVER_LEASE_OVER ? 1 : 0;
    }

    /** The deaths that the next claim counts. */
    public int deathsAtNextClaim() {
        return switch (this) {
            case LEASE_OVER, DEAD_GIVEN_BACK -> 1;
            case TAKEN_OVER_LEASE_OVER -> 2;
            default -> 0;
        };
    }

    private static HeldClaim released(KeyUnderTest subject, HeldClaim held, ReleaseMode mode) {
        KeyUnderTest.assertApplied(subject.release(held, mode));
        return held;
    }

    private static HeldClaim completed(KeyUnderTest subject, HeldClaim held, Window window) {
        KeyUnderTest.assertApplied(subject.complete(held.claim(), window, new byte[] {42}, false));
        return held;
    }
}

package io.dedup.testkit.internal.history;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.DedupKey;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.StoredRecord;
import io.dedup.testkit.internal.scenario.ContractGroup;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Compares a store's answers with the reference's, whose clock and tokens differ. */
final class Comparison {
    /** Each store has its own tokens: the same if the reference's is the same, otherwise higher than any before. */
    private static final class Tokens {
        private final Map<Long, Long> byReference = new HashMap<>();
        private long highest;
    }

    private final Duration drift;
    private final Map<DedupKey, Tokens> tokens = new HashMap<>();

    Comparison(Duration drift) {
        this.drift = drift;
    }

    void sizes(List<?> expected, List<?> actual) {
        assertThat(actual).as("answers").hasSameSizeAs(expected);
    }

    void equal(Object expected, Object actual) {
        assertThat(actual).isEqualTo(expected);
    }

    void claims(ClaimRequest request, ClaimResult expected, ClaimResult actual) {
        assertThat(actual).as("answer for %s", request.key()).isInstanceOf(expected.getClass());
        if (expected instanceof ClaimResult.Acquired wanted && actual instanceof ClaimResult.Acquired got) {
            assertThat(got.attempt()).as("attempt").isEqualTo(wanted.attempt());
            assertThat(got.deaths()).as("deaths").isEqualTo(wanted.deaths());
            assertThat(got.tookOver()).as("took over").isEqualTo(wanted.tookOver());
            assertThat(got.steps()).as("steps").isEqualTo(wanted.steps());
            token(request, wanted.fencingToken(), got.fencingToken());
        } else if (expected instanceof ClaimResult.InFlight wanted && actual instanceof ClaimResult.InFlight got) {
            remaining(wanted.remaining(), got.remaining());
        } else if (expected instanceof ClaimResult.AlreadyDone wanted
                && actual instanceof ClaimResult.AlreadyDone got) {
            assertThat(got.attempt()).as("attempt").isEqualTo(wanted.attempt());
            assertThat(got.result()).as("result").isEqualTo(wanted.result());
        }
    }

    private void token(ClaimRequest request, long expected, long actual) {
        Tokens known = tokens.computeIfAbsent(request.key(), key -> new Tokens());
        Long sameAs = known.byReference.get(expected);
        if (sameAs != null) {
            assertThat(actual).as("token of a repeated request").isEqualTo(sameAs);
            return;
        }
        if (request.fenced() || actual != 0) { // an unfenced claim may be answered 0
            assertThat(actual).as("token").isGreaterThan(known.highest);
            known.highest = actual;
        }
        known.byReference.put(expected, actual);
    }

    void records(DedupKey key, Optional<StoredRecord> expected, Optional<StoredRecord> actual) {
        assertThat(actual.isPresent()).as("a record of %s", key).isEqualTo(expected.isPresent());
        expected.ifPresent(record -> record(key, record, actual.orElseThrow()));
    }

    private void record(DedupKey key, StoredRecord expected, StoredRecord actual) {
        assertThat(actual.state()).as("state of %s", key).isEqualTo(expected.state());
        assertThat(actual.attempt()).as("attempt of %s", key).isEqualTo(expected.attempt());
        assertThat(actual.deaths()).as("deaths of %s", key).isEqualTo(expected.deaths());
        assertThat(actual.fingerprint()).as("fingerprint of %s", key).isEqualTo(expected.fingerprint());
        assertThat(actual.result()).as("result of %s", key).isEqualTo(expected.result());
        assertThat(actual.steps()).as("steps of %s", key).isEqualTo(expected.steps());
        remaining(expected.leaseRemaining(), actual.leaseRemaining());
        if (expected.state() == StoredRecord.State.PROCESSING || actual.owner() != null) {
            assertThat(actual.owner()).as("owner of %s", key).isEqualTo(expected.owner());
        }
        Tokens known = tokens.get(key);
        if (expected.fencingToken() == 0 || known == null) {
            assertThat(actual.fencingToken()).as("token of %s", key).isEqualTo(expected.fencingToken());
        } else {
            assertThat(actual.fencingToken())
                    .as("token of %s", key)
                    .isEqualTo(known.byReference.get(expected.fencingToken()));
        }
        times(key, expected, actual);
    }

    private void times(DedupKey key, StoredRecord expected, StoredRecord actual) {
        assertThat(actual.completedAt() == null)
                .as("completion time of %s", key)
                .isEqualTo(expected.completedAt() == null);
        assertThat(actual.expiresAt() == null).as("expiry of %s", key).isEqualTo(expected.expiresAt() == null);
        if (expected.expiresAt() != null) {
            Duration window = Duration.between(requireNonNull(expected.completedAt()), expected.expiresAt());
            Duration kept = Duration.between(requireNonNull(actual.completedAt()), requireNonNull(actual.expiresAt()));
            assertThat(kept.minus(window).abs())
                    .as("window of %s", key)
                    .isLessThanOrEqualTo(ContractGroup.PRECISION.plus(drift)); // a write may read a running clock twice
        }
    }

    private void remaining(Duration expected, Duration actual) {
        assertThat(actual)
                .as("remaining")
                .isBetween(
                        expected.minus(drift).minus(ContractGroup.PRECISION), expected.plus(ContractGroup.PRECISION));
    }
}

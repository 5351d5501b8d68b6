package io.dedup.testkit.internal.history;

import io.dedup.testkit.internal.scenario.ContractGroup;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random calls, single and in batches, get the same answers as from the in-memory store on its own clock. */
public abstract class RandomHistoryContract extends ContractGroup {
    private static final int STEPS = 250;

    @BeforeEach
    void forgetEarlierHistories() throws Exception {
        reopenFixture();
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    @DisplayName("a long random history gives the same answers as the reference store")
    void sameAsTheReference(long seed) {
        RandomHistory history = new RandomHistory(fixture(), seed);
        try {
            history.run(STEPS);
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError(
                    "seed " + seed + ": " + e.getMessage() + "\nThe history, oldest first:\n" + history.log(), e);
        }
    }
}

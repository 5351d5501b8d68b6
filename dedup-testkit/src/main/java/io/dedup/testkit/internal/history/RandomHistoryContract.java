package io.dedup.testkit.internal.history;

import io.dedup.testkit.internal.scenario.ContractGroup;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random calls, for one message and for several, get the same answers as from the in-memory store on its own clock. A few histories, and all of
 * them with {@code -Ddedup.test.contracts=all}.
 */
public abstract class RandomHistoryContract extends ContractGroup {
    private static final int STEPS = 250;
    private static final int FEW = 4;
    private static final int ALL = 12;

    @BeforeEach
    void forgetEarlierHistories() throws Exception {
        reopenFixture();
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
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

    static LongStream seeds() {
        return LongStream.rangeClosed(1, "all".equals(System.getProperty("dedup.test.contracts")) ? ALL : FEW);
    }
}

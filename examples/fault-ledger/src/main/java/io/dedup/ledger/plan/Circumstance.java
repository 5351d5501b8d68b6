package io.dedup.ledger.plan;

import io.dedup.policy.DedupMode;
import java.util.Locale;
import java.util.Random;

/** What may be unusual about a row's consumers. In the order in which it is drawn: a new one comes last. */
public enum Circumstance {
    /** The store in Redis packs its records. */
    PACKED(2) {
        @Override
        boolean isPossible(Row row, Shape shape) {
            return row.redisServers() > 0;
        }
    },
    /** The error handler polls with nothing paused, as if to stay in its group, before it decides. */
    POLLING_ERROR_HANDLER(3) {
        @Override
        boolean isPossible(Row row, Shape shape) {
            return shape.hasErrorHandler();
        }
    },
    /** An interceptor drops the copies of messages. */
    INTERCEPTED(3) {
        @Override
        boolean isPossible(Row row, Shape shape) {
            return shape.isAcknowledgedByContainer();
        }
    },
    /** A failed listener's error handler seeks back to what has failed, and returns. */
    SEEKS_BACK(3) {
        @Override
        boolean isPossible(Row row, Shape shape) {
            return shape.endsAtReturn();
        }
    },
    /**
     * The policy has a limit of deaths. Processes are killed often enough to convict many messages, if a death counted for
     * all that were claimed.
     */
    MAX_DEATHS(2) {
        @Override
        boolean isPossible(Row row, Shape shape) {
            return row.mode().filter(mode -> mode != DedupMode.TRANSACTIONAL).isPresent();
        }
    };

    private final int oneIn;

    Circumstance(int oneIn) {
        this.oneIn = oneIn;
    }

    abstract boolean isPossible(Row row, Shape shape);

    boolean isDrawn(Random random, Row row, Shape shape) {
        return random.nextInt(oneIn) == 0 && isPossible(row, shape);
    }

    String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}

package io.dedup.ledger.plan;

import io.dedup.policy.DedupMode;
import java.util.Arrays;
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
            return shape.isAcknowledgedByContainer() && !row.spansPolls();
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
    },
    /**
     * IDs are coordinates, and the topic is deleted and made again in the middle of the pass, so that offsets return. Nothing
     * is sent twice.
     */
    RECREATED(6) {
        @Override
        boolean isPossible(Row row, Shape shape) {
            return shape != Shape.RETRY_TOPIC && shape != Shape.SHARE_GROUP;
        }
    },
    /** No message has an ID for the consumers until the first fault is over: the first few are given up, no more. */
    IDS_COME_LATE(4) {
        @Override
        boolean isPossible(Row row, Shape shape) {
            return shape != Shape.SHARE_GROUP;
        }
    },
    /** Where commits fail, those of Kafka transactions are executed, their answers are lost, and the partitions leave. */
    ANSWERS_LOST(2) {
        @Override
        boolean isPossible(Row row, Shape shape) {
            return shape.isInKafkaTransaction();
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

    /** @throws IllegalArgumentException when there is none */
    static Circumstance of(String text) {
        return Arrays.stream(values())
                .filter(each -> each.text().equals(text))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no circumstance " + text + "; there are "
                        + Arrays.stream(values()).map(Circumstance::text).toList()));
    }
}

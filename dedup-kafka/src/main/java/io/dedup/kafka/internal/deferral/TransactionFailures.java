package io.dedup.kafka.internal.deferral;

import io.dedup.text.Causes;
import java.util.List;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidPidMappingException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.InvalidTxnStateException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TransactionAbortableException;
import org.apache.kafka.common.errors.WakeupException;
import org.springframework.transaction.CannotCreateTransactionException;

/** Classifies the failures of Kafka transactions. */
public final class TransactionFailures {
    private static final List<Class<? extends Exception>> NOT_THE_RECORDS = List.of(
            CannotCreateTransactionException.class,
            CommitFailedException.class,
            InterruptException.class,
            InvalidPidMappingException.class,
            InvalidProducerEpochException.class,
            InvalidTxnStateException.class,
            OutOfOrderSequenceException.class,
            ProducerFencedException.class,
            RetriableException.class,
            TransactionAbortableException.class,
            WakeupException.class);

    private TransactionFailures() {}

    /**
     * Whether another transaction for the same records may well succeed. Other failures are left to the after-rollback
     * processor, because the records that were sent may be at fault.
     */
    public static boolean isOfNoRecord(Throwable thrown) {
        return Causes.of(thrown).stream()
                .anyMatch(cause -> NOT_THE_RECORDS.stream().anyMatch(type -> type.isInstance(cause)));
    }
}

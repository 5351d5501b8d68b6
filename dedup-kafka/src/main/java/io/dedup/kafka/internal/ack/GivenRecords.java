package io.dedup.kafka.internal.ack;

import java.util.List;
import org.springframework.kafka.support.Acknowledgment;

/** The records that a call has given to its handler, and the handler's acknowledgment of them. */
public interface GivenRecords extends Acknowledgment {
    /** The records, as they were added to those that the handler has. */
    List<PendingDelivery> deliveries();

    /**
     * The handler's return, or the end of its work, counts as its acknowledgment of everything that it hasn't nacked; also of what
     * was sought back to since.
     */
    void acknowledgeAll();

    /** From now on, calls that are allowed only during the handler's call are rejected. */
    void handlerReturned();
}

package io.dedup.kafka.clients;

import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Takes records that are not going to be handled, for example to send them to a dead-letter topic. */
@FunctionalInterface
public interface GiveUp {
    /**
     * Takes the record. When this returns normally, the record's offset is committed and it is not delivered again, so
     * wait here until what this sends is stored.
     *
     * @param cause what the handler threw last; or, for a record that must not run, a {@link io.dedup.DedupException}
     *     that says why: it has no usable ID, reuses an ID with another payload, or has crashed its process too often
     * @throws Exception if this has failed; the record is delivered again
     */
    void giveUp(ConsumerRecord<?, ?> record, Exception cause) throws Exception;
}

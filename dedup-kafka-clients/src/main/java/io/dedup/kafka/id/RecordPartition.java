package io.dedup.kafka.id;

import io.dedup.adapter.GroupProgress;
import io.dedup.duplicate.DuplicateCause;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * The partition of many records, made once for them.
 *
 * @param queue its name in their places
 */
record RecordPartition(TopicPartition partition, String queue, GroupProgress<TopicPartition> progress) {
    static RecordPartition of(ConsumerRecord<?, ?> record, GroupProgress<TopicPartition> progress) {
        return new RecordPartition(
                new TopicPartition(record.topic(), record.partition()), String.valueOf(record.partition()), progress);
    }

    boolean isOf(ConsumerRecord<?, ?> record) {
        return partition.partition() == record.partition() && partition.topic().equals(record.topic());
    }

    GroupProgress.Known known() {
        return progress.known(partition);
    }

    /** As {@link GroupProgress#causeOf}. */
    DuplicateCause causeOf(long offset, boolean firstInSession, long committedThen) {
        return progress.causeOf(partition, offset, firstInSession, committedThen);
    }
}

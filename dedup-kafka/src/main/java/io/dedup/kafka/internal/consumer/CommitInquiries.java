package io.dedup.kafka.internal.consumer;

import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Execution;
import io.dedup.adapter.WaitBudget;
import io.dedup.adapter.poll.PollTimer;
import io.dedup.kafka.internal.KafkaLog;
import io.dedup.kafka.internal.consumer.UnansweredCommits.Answer;
import io.dedup.kafka.internal.spring.ConsumerSettings;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsOptions;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.kafka.listener.AbstractMessageListenerContainer;

/**
 * Finds out how commits ended that got no answer, after their consumer has lost the partitions or has stopped. Until then the
 * claims are held, so that no other member handles these messages and moves the committed offset past them: as long as the
 * leases last, the offset can only have been moved by the commit in question. The broker answers when no open transaction
 * may still move it. Thread-safe.
 */
public final class CommitInquiries implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(KafkaLog.NAME);
    private static final Duration ANSWER = Duration.ofSeconds(5);
    private static final Duration AGAIN = Duration.ofMillis(200);
    private static final Duration LAST_ANSWERS = Duration.ofSeconds(5);
    private static final Duration LOOK = Duration.ofMillis(10);

    private final DedupAdapter engine;
    private final PollTimer timer;
    private final Function<Map<String, Object>, Admin> adminClient;
    private final Set<Inquiry> open = ConcurrentHashMap.newKeySet();

    /** @param adminClient makes an admin client with the settings of a container's consumers */
    public CommitInquiries(DedupAdapter engine, PollTimer timer, Function<Map<String, Object>, Admin> adminClient) {
        this.engine = engine;
        this.timer = timer;
        this.adminClient = adminClient;
    }

    /** The one for the consumers of a container: a container without a group has no such commits. */
    public UnansweredCommits.Inquirer of(AbstractMessageListenerContainer<?, ?> container) {
        return (executions, offsets) -> {
            Map<String, Object> settings = new ConsumerSettings(container).ofAdmin();
            Inquiry inquiry = new Inquiry(
                    () -> adminClient.apply(settings),
                    String.valueOf(container.getGroupId()),
                    executions,
                    Map.copyOf(offsets));
            open.add(inquiry);
            inquiry.askIn(Duration.ZERO);
        };
    }

    /** Waits for the last answers; claims of commits without one are left to their leases. */
    @Override
    public void close() {
        long start = System.nanoTime();
        while (!open.isEmpty() && System.nanoTime() - start < LAST_ANSWERS.toNanos()) {
            LockSupport.parkNanos(LOOK.toNanos());
        }
        open.forEach(Inquiry::giveUp);
    }

    private final class Inquiry {
        private final Supplier<Admin> admins;
        private final String group;
        private final List<Execution> executions;
        private final Map<TopicPartition, Long> offsets;
        private final AtomicBoolean ended = new AtomicBoolean();
        private volatile @Nullable Admin admin;

        Inquiry(Supplier<Admin> admins, String group, List<Execution> executions, Map<TopicPartition, Long> offsets) {
            this.admins = admins;
            this.group = group;
            this.executions = executions;
            this.offsets = offsets;
        }

        void askIn(Duration delay) {
            if (!timer.after(delay, this::ask)) {
                giveUp();
            }
        }

        @SuppressWarnings("FutureReturnValueIgnored") // the answer is settled
        private void ask() {
            try {
                Admin asked = admin == null ? admins.get() : admin;
                admin = asked;
                asked.listConsumerGroupOffsets(
                                Map.of(group, new ListConsumerGroupOffsetsSpec().topicPartitions(offsets.keySet())),
                                new ListConsumerGroupOffsetsOptions()
                                        .requireStable(true)
                                        .timeoutMs((int) ANSWER.toMillis()))
                        .partitionsToOffsetAndMetadata(group)
                        .whenComplete((found, failure) -> engine.settlements().execute(() -> answered(found, failure)));
            } catch (RuntimeException e) {
                answered(null, e);
            }
        }

        private void answered(@Nullable Map<TopicPartition, OffsetAndMetadata> found, @Nullable Throwable failure) {
            Answer answer = found != null && isWhole(found) ? UnansweredCommits.answer(offsets, found) : Answer.UNKNOWN;
            if (executions.stream().anyMatch(Execution::leaseLost)) { // others may have moved the offsets meanwhile
                giveUp();
            } else if (answer == Answer.UNKNOWN) {
                log.debug("Cannot read the committed offsets of {} yet", offsets.keySet(), failure);
                askIn(AGAIN);
            } else if (end()) {
                UnansweredCommits.settle(engine, executions, answer, WaitBudget.of(ANSWER));
            }
        }

        /**
         * Without any offset the broker doesn't know the group, and then doesn't look for open transactions either: they
         * may be the group's first.
         */
        private boolean isWhole(Map<TopicPartition, OffsetAndMetadata> found) {
            return offsets.keySet().stream().allMatch(partition -> found.get(partition) != null);
        }

        void giveUp() {
            if (end()) {
                log.warn(
                        "Cannot find out whether a Kafka transaction has committed the offsets {}; its messages are in"
                                + " flight until their leases expire, and handled again if redelivered after that",
                        offsets);
                executions.forEach(Execution::abandon);
            }
        }

        /** Returns true once. */
        private boolean end() {
            if (!ended.compareAndSet(false, true)) {
                return false;
            }
            open.remove(this);
            Admin asked = admin;
            if (asked != null) {
                asked.close(Duration.ZERO);
            }
            return true;
        }
    }
}

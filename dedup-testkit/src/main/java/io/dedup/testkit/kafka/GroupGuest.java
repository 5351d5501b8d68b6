package io.dedup.testkit.kafka;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.clients.consumer.RoundRobinAssignor;
import org.apache.kafka.clients.consumer.StickyAssignor;
import org.apache.kafka.common.GroupType;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** A member of the group that is assigned partitions, handles nothing, commits nothing, and leaves. */
final class GroupGuest {
    private static final Duration POLL = Duration.ofMillis(100);
    /** A guest that was assigned nothing waits for so long: cooperative members first have to give partitions up. */
    private static final Duration EMPTY_HANDED = Duration.ofSeconds(20);

    private static final Map<String, Class<?>> ASSIGNORS = Map.of(
            RangeAssignor.RANGE_ASSIGNOR_NAME, RangeAssignor.class,
            RoundRobinAssignor.ROUNDROBIN_ASSIGNOR_NAME, RoundRobinAssignor.class,
            StickyAssignor.STICKY_ASSIGNOR_NAME, StickyAssignor.class,
            CooperativeStickyAssignor.COOPERATIVE_STICKY_ASSIGNOR_NAME, CooperativeStickyAssignor.class);

    private final Map<String, Object> client;
    private final String group;
    private final Map<String, Object> settings;
    /** Sorted first, as most assignors prefer: where each partition has a member, a guest that is last gets none. */
    private final String name = "0-fault-plan-guest-" + UUID.randomUUID();

    GroupGuest(Map<String, Object> client, String group, Map<String, Object> settings) {
        this.client = client;
        this.group = group;
        this.settings = settings;
    }

    /** Its {@code client.id}. */
    String name() {
        return name;
    }

    /** Returns whether it was assigned partitions within {@code atMost}; if it was, it has had them for {@code stay}. */
    boolean visit(String topic, ConsumerGroupDescription joined, Duration stay, Duration atMost) {
        Map<String, Object> config = new HashMap<>(client);
        config.putAll(settings.isEmpty() ? as(joined) : settings);
        // Last, because the settings may be the application's own: a guest that commits makes the group skip records.
        config.put("group.id", group);
        config.put("client.id", name);
        config.put("enable.auto.commit", false);
        config.put("auto.offset.reset", "earliest");
        config.remove("group.instance.id"); // it would take a static member's place
        try (var consumer = new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            boolean assigned = awaitPartitions(consumer, topic, atMost);
            if (assigned) {
                long begin = System.nanoTime();
                while (System.nanoTime() - begin < stay.toNanos()) {
                    var unused = consumer.poll(POLL);
                }
            }
            return assigned;
        }
    }

    private static boolean awaitPartitions(KafkaConsumer<?, ?> consumer, String topic, Duration atMost) {
        AtomicBoolean joined = new AtomicBoolean();
        consumer.subscribe(List.of(topic), new ConsumerRebalanceListener() {
            @Override
            public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
                joined.set(true);
            }

            @Override
            public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
                // others get them
            }
        });
        long begin = System.nanoTime();
        long limit = atMost.toNanos();
        boolean emptyHanded = false;
        while (consumer.assignment().isEmpty()) {
            long waited = System.nanoTime() - begin;
            if (waited > limit) {
                return false;
            }
            if (joined.get() && !emptyHanded) {
                emptyHanded = true;
                limit = Math.min(limit, waited + EMPTY_HANDED.toNanos());
            }
            var unused = consumer.poll(POLL);
        }
        return true;
    }

    /** The same protocol as the members': a group doesn't accept members with an incompatible one. */
    private Map<String, Object> as(ConsumerGroupDescription joined) {
        if (joined.type() == GroupType.CONSUMER) {
            return Map.of("group.protocol", "consumer");
        }
        String assignor = joined.partitionAssignor();
        if (assignor.isEmpty()) { // the group is rebalancing; most groups accept the defaults
            return Map.of();
        }
        Class<?> known = ASSIGNORS.get(assignor);
        if (known == null) {
            throw new IllegalArgumentException("Consumer group " + group + " uses the assignor " + assignor
                    + ", which a guest cannot guess the class of. Pass the application's partition.assignment.strategy"
                    + " to KafkaTraffic.guests(...)");
        }
        return Map.of("partition.assignment.strategy", known.getName());
    }
}

package io.dedup.kafka.internal.share;

import io.dedup.kafka.exception.DeliveryDeferredException;
import io.dedup.kafka.internal.KafkaLog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.config.ConfigResource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.kafka.listener.ShareConsumerRecordRecoverer;

/**
 * Knows how often the brokers deliver a record of a share group. When a consumer closes, they take back what it hasn't acknowledged, and
 * archive what was delivered for the last time. So a record that is deferred then goes to the container's recoverer, which may still save
 * it. Thread-safe.
 */
final class LastDeliveries {
    private static final Logger log = LoggerFactory.getLogger(KafkaLog.NAME);
    private static final String OF_BROKER = "group.share.delivery.count.limit";
    private static final String OF_GROUP = "share.delivery.count.limit";
    /** The brokers' default, for warnings only: a record is given up only where the limit is known. */
    private static final int DEFAULT_LIMIT = 5;

    private final ShareConsumerRecordRecoverer recoverer;
    private volatile OptionalInt limit = OptionalInt.empty();

    /** @param recoverer the container's, which doesn't know deferrals */
    LastDeliveries(ShareConsumerRecordRecoverer recoverer) {
        this.recoverer = recoverer;
    }

    /** Asks the brokers in the background. Without their answer, such as without the right to ask, the limit stays unknown. */
    void read(Function<Map<String, Object>, Admin> adminClient, Map<String, Object> client, String group) {
        Map<String, Object> settings = new HashMap<>(client);
        settings.keySet().retainAll(AdminClientConfig.configNames());
        try {
            Admin admin = adminClient.apply(settings);
            CompletionStage<OptionalInt> answer = admin.describeCluster()
                    .nodes()
                    .toCompletionStage()
                    .thenCompose(nodes -> describe(admin, nodes, group));
            CompletionStage<OptionalInt> unused = answer.whenComplete((found, failure) -> {
                admin.close(Duration.ZERO);
                if (failure == null) {
                    limit = found;
                }
                log.info(
                        "The brokers deliver a record of share group {} at most {} times and then archive it. Each fetch"
                                + " counts, also by a consumer that stops before it has handled the record. To raise it, set"
                                + " {} on the brokers, up to 10",
                        group,
                        limit.isPresent() ? limit.getAsInt() : "an unknown number of",
                        OF_BROKER);
            });
        } catch (RuntimeException e) {
            log.debug("Cannot ask for {}", OF_BROKER, e);
        }
    }

    private static CompletionStage<OptionalInt> describe(Admin admin, Collection<Node> nodes, String group) {
        List<ConfigResource> resources = new ArrayList<>();
        resources.add(new ConfigResource(ConfigResource.Type.GROUP, group));
        nodes.forEach(node -> resources.add(new ConfigResource(ConfigResource.Type.BROKER, node.idString())));
        List<CompletableFuture<@Nullable Config>> answers = admin.describeConfigs(resources).values().values().stream()
                .map(each -> each.toCompletionStage()
                        .<@Nullable Config>thenApply(config -> config)
                        .exceptionally(e -> null) // a version or a right that is missing
                        .toCompletableFuture())
                .toList();
        return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
                .thenApply(all -> {
                    List<Config> configs = answers.stream()
                            .map(CompletableFuture::join)
                            .filter(Objects::nonNull)
                            .toList();
                    OptionalInt own = smallest(configs, OF_GROUP);
                    return own.isPresent() ? own : smallest(configs, OF_BROKER);
                });
    }

    private static OptionalInt smallest(List<Config> configs, String name) {
        return configs.stream()
                .flatMap(config -> Stream.ofNullable(config.get(name)))
                .map(ConfigEntry::value)
                .filter(Objects::nonNull)
                .mapToInt(Integer::parseInt)
                .min();
    }

    /** Whether the brokers will not deliver the record again, as far as it is known. */
    boolean isLast(ConsumerRecord<?, ?> record) {
        return record.deliveryCount().orElse((short) 0) >= limit.orElse(DEFAULT_LIMIT);
    }

    /** The record is deferred in its last delivery, for the first time. */
    void deferred(ConsumerRecord<?, ?> record, DeliveryDeferredException deferral) {
        log.warn(
                "The record at {} is deferred ({}) in its last delivery (number {}). If its consumer crashes before it is"
                        + " handled, the broker archives it unhandled; if the consumer stops, it goes to the recoverer. Raise the brokers' {}",
                place(record),
                deferral.reason(),
                record.deliveryCount().orElse((short) 0),
                OF_BROKER);
    }

    /**
     * A consumer closes that holds this record, which is in its last delivery.
     *
     * @param deferral null if the record isn't deferred, because its handler's work goes on
     * @return how to acknowledge it
     */
    AcknowledgeType closing(ConsumerRecord<?, ?> record, @Nullable DeliveryDeferredException deferral) {
        if (deferral == null || limit.isEmpty()) {
            log.warn(
                    "A consumer stops while it holds the record at {} in its delivery number {}{}: if that is the last, the broker"
                            + " archives the record. The setting is {}",
                    place(record),
                    record.deliveryCount().orElse((short) 0),
                    deferral == null ? "" : ", deferred (" + deferral.reason() + ")",
                    OF_BROKER);
            return AcknowledgeType.RELEASE;
        }
        log.warn(
                "A consumer stops while it holds the record at {} deferred ({}) in its last delivery: it goes to the"
                        + " container's recoverer, because the broker would archive it. Raise the brokers' {}",
                place(record),
                deferral.reason(),
                OF_BROKER);
        try {
            return recoverer.recover(record, deferral);
        } catch (RuntimeException | Error e) { // the other records of the consumer must be let go all the same
            log.error("The recoverer failed for the record at {}; the broker archives it", place(record), e);
            return AcknowledgeType.RELEASE;
        }
    }

    private static String place(ConsumerRecord<?, ?> record) {
        return "topic " + record.topic() + ", partition " + record.partition() + ", offset " + record.offset();
    }
}

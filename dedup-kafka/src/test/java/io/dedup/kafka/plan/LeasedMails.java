package io.dedup.kafka.plan;

import io.dedup.DedupContext;
import io.dedup.Deduplicator;
import io.dedup.engine.Deduplicators;
import io.dedup.kafka.KafkaDedup;
import io.dedup.kafka.id.KafkaMessageIds;
import io.dedup.store.redis.RedisDedupStore;
import io.dedup.testkit.plan.StepStops;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.config.MethodKafkaListenerEndpoint;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.messaging.handler.annotation.support.DefaultMessageHandlerMethodFactory;

/** Sends mails, in mode LEASED: an effect that no transaction can hold. They are kept in a Redis list, with their attempts. */
public final class LeasedMails {
    static final List<String> STEPS = List.of("charge", "reserve", "mail");
    private static final Duration LEASE = Duration.ofSeconds(2);

    private final RedisCommands<String, String> mails;
    private final String list;
    private final boolean steps;

    private LeasedMails(RedisCommands<String, String> mails, String list, boolean steps) {
        this.mails = mails;
        this.list = list;
        this.steps = steps;
    }

    /** Arguments: bootstrap servers, topic and group and list, where mails are sent to, where the records are kept; "steps" for three. */
    public static void main(String[] args) throws ReflectiveOperationException {
        String topic = args[1];
        LeasedMails handler = new LeasedMails(
                RedisClient.create(args[2]).connect().sync(), topic, args.length > 4 && args[4].equals("steps"));
        RedisDedupStore store = RedisDedupStore.builder()
                .uri(args[3])
                .namespace(topic)
                .commandTimeout(Duration.ofSeconds(1))
                .build();
        Deduplicator dedup = Deduplicators.builder(store)
                .consumer(topic)
                .topic(
                        topic,
                        policy -> policy.lease(LEASE)
                                .inFlightWait(Duration.ofMillis(200))
                                .maxDeferDelay(Duration.ofMillis(200)))
                .listener(new StepStops())
                .build();
        KafkaDedup kafka =
                KafkaDedup.builder(dedup).id(KafkaMessageIds.header("id")).build();
        ConcurrentMessageListenerContainer<String, String> container = handler.container(args[0]);
        kafka.decorate(container);
        container.start();
    }

    private ConcurrentMessageListenerContainer<String, String> container(String bootstrap)
            throws ReflectiveOperationException {
        var factory = new ConcurrentKafkaListenerContainerFactory<String, String>();
        factory.setConsumerFactory(new DefaultKafkaConsumerFactory<>(
                Map.of(
                        "bootstrap.servers",
                        bootstrap,
                        "auto.offset.reset",
                        "earliest",
                        "session.timeout.ms",
                        2000,
                        "heartbeat.interval.ms",
                        500),
                new StringDeserializer(),
                new StringDeserializer()));
        DefaultMessageHandlerMethodFactory methods = new DefaultMessageHandlerMethodFactory();
        methods.afterPropertiesSet();
        MethodKafkaListenerEndpoint<String, String> endpoint = new MethodKafkaListenerEndpoint<>();
        endpoint.setId(list);
        endpoint.setGroupId(list);
        endpoint.setTopics(list);
        endpoint.setBean(this);
        endpoint.setMethod(LeasedMails.class.getMethod("mail", ConsumerRecord.class, DedupContext.class));
        endpoint.setMessageHandlerMethodFactory(methods);
        return factory.createListenerContainer(endpoint);
    }

    /** For spring-kafka. */
    public void mail(ConsumerRecord<String, String> record, DedupContext context) {
        if (steps) {
            for (String step : STEPS) {
                context.step(step, () -> mails.rpush(list + "-" + step, record.value()));
            }
            return;
        }
        mails.rpush(list, record.value() + (context.attempt() > 1 ? " retried" : ""));
    }
}

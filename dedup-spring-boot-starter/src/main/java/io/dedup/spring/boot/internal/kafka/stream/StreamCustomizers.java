package io.dedup.spring.boot.internal.kafka.stream;

import java.util.function.BiFunction;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.cloud.stream.binder.ExtendedConsumerProperties;
import org.springframework.cloud.stream.binder.kafka.KafkaListenerContainerCustomizer;
import org.springframework.cloud.stream.binder.kafka.KafkaMessageChannelBinder;
import org.springframework.cloud.stream.binder.kafka.ListenerContainerWithDlqAndRetryCustomizer;
import org.springframework.cloud.stream.binder.kafka.properties.KafkaConsumerProperties;
import org.springframework.cloud.stream.config.ListenerContainerCustomizer;
import org.springframework.kafka.listener.AbstractMessageListenerContainer;
import org.springframework.util.backoff.BackOff;

/** Puts a customizer behind that of the application: a binder has room for one. */
final class StreamCustomizers {
    private StreamCustomizers() {}

    @SuppressWarnings("unchecked") // what the binder holds is for its containers
    static void add(KafkaMessageChannelBinder binder, ContainerSink sink) {
        Object own = new DirectFieldAccessor(binder).getPropertyValue("containerCustomizer"); // there is no getter
        if (own instanceof ListenerContainerWithDlqAndRetryCustomizer customizer) {
            binder.setContainerCustomizer(new WithDlqAndRetry(customizer, binder, sink));
        } else {
            binder.setContainerCustomizer(
                    new Plain((ListenerContainerCustomizer<AbstractMessageListenerContainer<?, ?>>) own, binder, sink));
        }
    }

    private record Plain(
            @Nullable ListenerContainerCustomizer<AbstractMessageListenerContainer<?, ?>> own,
            KafkaMessageChannelBinder binder,
            ContainerSink sink)
            implements KafkaListenerContainerCustomizer {
        @Override
        public void configure(AbstractMessageListenerContainer<?, ?> container, String destinationName, String group) {
            if (own != null) {
                own.configure(container, destinationName, group);
            }
        }

        @Override
        public void configure(
                AbstractMessageListenerContainer<?, ?> container,
                String destinationName,
                String group,
                ExtendedConsumerProperties<KafkaConsumerProperties> properties) {
            if (own instanceof KafkaListenerContainerCustomizer customizer) {
                customizer.configure(container, destinationName, group, properties);
            } else {
                configure(container, destinationName, group);
            }
            sink.created(new StreamContainer(container, binder, properties, true));
        }
    }

    private record WithDlqAndRetry(
            ListenerContainerWithDlqAndRetryCustomizer own, KafkaMessageChannelBinder binder, ContainerSink sink)
            implements ListenerContainerWithDlqAndRetryCustomizer {
        @Override
        public void configure(
                AbstractMessageListenerContainer<?, ?> container,
                String destinationName,
                String group,
                @Nullable BiFunction<ConsumerRecord<?, ?>, Exception, TopicPartition> dlqDestinationResolver,
                @Nullable BackOff backOff) {
            own.configure(container, destinationName, group, dlqDestinationResolver, backOff);
        }

        @Override
        public void configure(
                AbstractMessageListenerContainer<?, ?> container,
                String destinationName,
                String group,
                @Nullable BiFunction<ConsumerRecord<?, ?>, Exception, TopicPartition> dlqDestinationResolver,
                @Nullable BackOff backOff,
                ExtendedConsumerProperties<KafkaConsumerProperties> properties) {
            own.configure(container, destinationName, group, dlqDestinationResolver, backOff, properties);
            sink.created(
                    new StreamContainer(container, binder, properties, retryAndDlqInBinding(destinationName, group)));
        }

        @Override
        public boolean retryAndDlqInBinding(String destinationName, String group) {
            return own.retryAndDlqInBinding(destinationName, group);
        }
    }
}

package io.dedup.kafka;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.support.BeanDefinitionBuilder;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.kafka.annotation.EnableKafkaRetryTopic;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.core.KafkaAdmin;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** An application with one bean of annotated listeners, which a {@link KafkaDedupInstaller} decorates. */
final class AnnotatedScene {
    @EnableKafkaRetryTopic
    static class Config {}

    final Scene scene;
    final Map<String, Object> consumer = new HashMap<>();
    private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
    private Consumer<ConcurrentKafkaListenerContainerFactory<String, String>> settings = factory -> {};
    private KafkaDedupInstaller.Selection selection;

    AnnotatedScene(Scene scene) {
        this.scene = scene;
        this.consumer.putAll(scene.consumerConfig());
        this.consumer.put("metadata.max.age.ms", 500); // topics that are made when the listeners are
        this.selection = (container, annotated) -> scene.kafka;
    }

    AnnotatedScene with(Consumer<ConcurrentKafkaListenerContainerFactory<String, String>> changes) {
        settings = changes;
        return this;
    }

    AnnotatedScene with(KafkaDedupInstaller.Selection chosen) {
        selection = chosen;
        return this;
    }

    <T> AnnotatedScene with(String name, Class<T> type, T bean) {
        context.registerBean(name, type, () -> bean);
        return this;
    }

    AnnotationConfigApplicationContext start(Object listener) {
        return start(listener, Config.class);
    }

    @SuppressWarnings("unchecked")
    AnnotationConfigApplicationContext start(Object listener, @Nullable Class<?> config) {
        AtomicReference<KafkaDedupInstaller.Selection> chosen = new AtomicReference<>(selection);
        context.getEnvironment()
                .getPropertySources()
                .addFirst(new MapPropertySource("test", Map.of("topic", scene.topic, "group", scene.group)));
        context.register(config);
        context.registerBeanDefinition(
                "installer",
                BeanDefinitionBuilder.genericBeanDefinition(
                                KafkaDedupInstaller.class, () -> new KafkaDedupInstaller(chosen.get()))
                        .getBeanDefinition());
        context.registerBean("kafkaListenerContainerFactory", ConcurrentKafkaListenerContainerFactory.class, () -> {
            var factory = new ConcurrentKafkaListenerContainerFactory<String, String>();
            factory.setConsumerFactory(
                    new DefaultKafkaConsumerFactory<>(consumer, new StringDeserializer(), new StringDeserializer()));
            factory.getContainerProperties().setPollTimeout(200);
            factory.getContainerProperties().setShutdownTimeout(5_000);
            settings.accept(factory);
            return factory;
        });
        context.registerBean("listener", (Class<Object>) listener.getClass(), () -> listener);
        context.registerBean("scheduler", ThreadPoolTaskScheduler.class, ThreadPoolTaskScheduler::new);
        context.registerBean("template", KafkaTemplate.class, scene::template);
        context.registerBean(
                "admin", KafkaAdmin.class, () -> new KafkaAdmin(Map.of("bootstrap.servers", scene.bootstrap)));
        scene.closeLater(context);
        context.refresh();
        return context;
    }
}

package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.annotation.EnableKafka;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.annotation.KafkaListenerAnnotationBeanPostProcessor;
import org.springframework.kafka.annotation.KafkaListenerAnnotationBeanPostProcessor.AnnotationEnhancer;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;

/** The installer among an application's beans, without a broker. */
class InstallerBeansTest {
    private static final List<String> SEEN = new ArrayList<>();

    @EnableKafka
    @Configuration(proxyBeanMethods = false)
    static class App {
        @Bean
        static KafkaDedupInstaller installer() {
            return new KafkaDedupInstaller((container, annotated) -> {
                SEEN.add(container.getListenerId() + " in " + container.getGroupId());
                return null;
            });
        }

        @Bean
        ConcurrentKafkaListenerContainerFactory<String, String> kafkaListenerContainerFactory() {
            var factory = new ConcurrentKafkaListenerContainerFactory<String, String>();
            factory.setConsumerFactory(new DefaultKafkaConsumerFactory<>(Map.of("bootstrap.servers", "localhost:1")));
            return factory;
        }

        @KafkaListener(id = "orders", topics = "orders", autoStartup = "false")
        void orders(String order) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnEnhancer {
        @Bean
        static AnnotationEnhancer own() {
            return (attributes, element) -> {
                Map<String, Object> changed = new HashMap<>(attributes);
                changed.put("groupId", "changed");
                return changed;
            };
        }
    }

    @Test
    @DisplayName("no bean of ours is a function, which Spring Cloud Function would take for the application's")
    void noFunctions() {
        SEEN.clear();
        try (var context = new AnnotationConfigApplicationContext(App.class)) {
            assertThat(context.getBean(KafkaListenerEndpointRegistry.class).getListenerContainerIds())
                    .containsExactly("orders");
            assertThat(SEEN).containsExactly("orders in orders");
            for (Class<?> functional : List.of(
                    Function.class,
                    BiFunction.class,
                    Supplier.class,
                    Consumer.class,
                    BiConsumer.class,
                    Predicate.class,
                    AnnotationEnhancer.class)) {
                assertThat(context.getBeanNamesForType(functional))
                        .describedAs(functional.getName())
                        .isEmpty();
            }
        }
    }

    @Test
    @DisplayName("K7b an enhancer of the application is kept, and runs before")
    void ownEnhancer() {
        SEEN.clear();
        try (var context = new AnnotationConfigApplicationContext(OwnEnhancer.class, App.class)) {
            assertThat(context.getBeanNamesForType(AnnotationEnhancer.class)).containsExactly("own");
            assertThat(SEEN).containsExactly("orders in changed");
        }
    }

    /** Makes spring-kafka's processor before the installer. */
    static final class Early implements BeanFactoryPostProcessor {
        @Override
        public void postProcessBeanFactory(ConfigurableListableBeanFactory factory) {
            Object unused = factory.getBean(KafkaListenerAnnotationBeanPostProcessor.class);
        }
    }

    @Test
    @DisplayName("an installer that comes too late fails the start, instead of leaving listeners undecorated")
    void tooLate() {
        assertThatThrownBy(() -> new AnnotationConfigApplicationContext(App.class, Early.class).close())
                .hasMessageContaining("static @Bean method")
                .hasMessageContaining("undecorated");
    }
}

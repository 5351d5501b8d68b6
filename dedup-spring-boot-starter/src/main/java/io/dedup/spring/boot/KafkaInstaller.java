package io.dedup.spring.boot;

import io.dedup.kafka.KafkaDedup;
import java.lang.reflect.AnnotatedElement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanExpressionContext;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.Ordered;
import org.springframework.kafka.annotation.KafkaListenerAnnotationBeanPostProcessor.AnnotationEnhancer;
import org.springframework.kafka.config.ContainerPostProcessor;
import org.springframework.kafka.listener.AbstractMessageListenerContainer;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;

/** Has each {@code @KafkaListener}'s container decorated, after whatever the application does with it. */
final class KafkaInstaller implements AnnotationEnhancer, Ordered {
    static final String BEAN = "io.dedup.kafkaPostProcessors";
    private static final String ATTRIBUTE = "containerPostProcessor";

    private final ConfigurableListableBeanFactory beans;
    private final ObjectProvider<KafkaListeners> listeners;
    private final List<Annotated> annotated = new CopyOnWriteArrayList<>();

    private record Annotated(AnnotatedElement element, String userProcessor) {}

    KafkaInstaller(ConfigurableListableBeanFactory beans, ObjectProvider<KafkaListeners> listeners) {
        this.beans = beans;
        this.listeners = listeners;
        beans.registerSingleton(BEAN, new PostProcessors());
    }

    @Override
    public Map<String, Object> apply(Map<String, Object> attributes, AnnotatedElement element) {
        Map<String, Object> changed = new HashMap<>(attributes);
        annotated.add(new Annotated(element, String.valueOf(attributes.get(ATTRIBUTE))));
        changed.put(ATTRIBUTE, "#{@'" + BEAN + "'.of(" + (annotated.size() - 1) + ")}");
        return changed;
    }

    /** Named in the annotations. */
    final class PostProcessors {
        public ContainerPostProcessor<Object, Object, ConcurrentMessageListenerContainer<Object, Object>> of(int index) {
            Annotated each = annotated.get(index);
            return container -> {
                user(each.userProcessor(), container);
                KafkaDedup dedup = listeners.getObject().dedupOf(container, each.element());
                if (dedup != null) {
                    dedup.decorate(container);
                }
            };
        }
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private void user(String expression, AbstractMessageListenerContainer<?, ?> container) {
        Object value = beans.resolveEmbeddedValue(expression);
        if (value instanceof String text && beans.getBeanExpressionResolver() != null) {
            value = beans.getBeanExpressionResolver().evaluate(text, new BeanExpressionContext(beans, null));
        }
        if (value instanceof String name && !name.isBlank()) {
            value = beans.getBean(name);
        }
        if (value instanceof ContainerPostProcessor processor) {
            processor.postProcess(container);
        }
    }

    /** After other enhancers, so that what they set is kept. */
    @Override
    public int getOrder() {
        return Ordered.LOWEST_PRECEDENCE;
    }
}

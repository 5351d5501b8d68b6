package io.dedup.kafka.internal.spring;

import java.lang.reflect.AnnotatedElement;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.kafka.config.ContainerPostProcessor;
import org.springframework.kafka.listener.AbstractMessageListenerContainer;

/**
 * The post-processors for the containers of annotated listeners, which expressions in the annotations refer to. It is a bean, so it must
 * not be a {@link java.util.function.BiFunction}: Spring Cloud Function would take it for a function of the application.
 */
public final class PostProcessors {
    private final BiConsumer<AbstractMessageListenerContainer<?, ?>, AnnotatedElement> decorate;
    private final List<AnnotatedElement> elements = new CopyOnWriteArrayList<>();
    private volatile @Nullable BeanFactory beans;

    public PostProcessors(BiConsumer<AbstractMessageListenerContainer<?, ?>, AnnotatedElement> decorate) {
        this.decorate = decorate;
    }

    public void use(BeanFactory factory) {
        beans = factory;
    }

    /**
     * Returns the value of the annotation's attribute.
     *
     * @param self this object, in the expression language
     * @param before the attribute's original value: a bean's name, an expression, or nothing
     */
    public String expression(String self, AnnotatedElement annotated, @Nullable String before) {
        int index = elements.indexOf(annotated);
        if (index < 0) {
            index = elements.size();
            elements.add(annotated);
        }
        return "#{" + self + ".apply(" + index + ", " + operand(before, annotated) + ")}";
    }

    private static String operand(@Nullable String before, AnnotatedElement annotated) {
        if (before == null || before.isBlank()) {
            return "null";
        }
        if (!before.contains("#{")) {
            return "'" + before.replace("'", "''") + "'";
        }
        if (before.startsWith("#{") && before.endsWith("}") && before.lastIndexOf("#{") == 0) {
            return before.substring(2, before.length() - 1);
        }
        throw new IllegalStateException("containerPostProcessor = \"" + before + "\" of the @KafkaListener on "
                + annotated + " has text around an expression. Set it to one expression, or to a bean's name");
    }

    /** Returns the post-processor of an annotated element, which runs after the original one. Called by expressions. */
    public Object apply(int element, @Nullable Object before) {
        ContainerPostProcessor<Object, Object, AbstractMessageListenerContainer<Object, Object>> first = first(before);
        AnnotatedElement annotated = elements.get(element);
        return (ContainerPostProcessor<Object, Object, AbstractMessageListenerContainer<Object, Object>>) container -> {
            if (first != null) {
                first.postProcess(container);
            }
            decorate.accept(container, annotated);
        };
    }

    @SuppressWarnings("unchecked")
    private @Nullable ContainerPostProcessor<Object, Object, AbstractMessageListenerContainer<Object, Object>> first(
            @Nullable Object before) {
        if (before instanceof ContainerPostProcessor<?, ?, ?> found) {
            return (ContainerPostProcessor<Object, Object, AbstractMessageListenerContainer<Object, Object>>) found;
        }
        if (before instanceof String bean && !bean.isBlank()) {
            return Objects.requireNonNull(beans).getBean(bean, ContainerPostProcessor.class);
        }
        return null;
    }
}

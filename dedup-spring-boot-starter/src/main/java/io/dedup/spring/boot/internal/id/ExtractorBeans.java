package io.dedup.spring.boot.internal.id;

import io.dedup.id.MessageIdExtractor;
import java.util.List;
import java.util.function.Function;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;

/** Finds extractors of the application by the name of their bean, for {@code bean:}. */
public record ExtractorBeans(ListableBeanFactory beans) implements Function<String, MessageIdExtractor<?>> {
    @Override
    public MessageIdExtractor<?> apply(String name) {
        try {
            return beans.getBean(name, MessageIdExtractor.class);
        } catch (NoSuchBeanDefinitionException e) {
            throw new IllegalArgumentException(
                    "there is no MessageIdExtractor bean " + name + "; the application has "
                            + List.of(beans.getBeanNamesForType(MessageIdExtractor.class)),
                    e);
        }
    }
}

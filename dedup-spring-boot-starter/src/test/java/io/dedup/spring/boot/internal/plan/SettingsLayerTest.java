package io.dedup.spring.boot.internal.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.policy.Window;
import io.dedup.spring.boot.ListenerProperties;
import io.dedup.spring.boot.PolicyProperties;
import java.beans.PropertyDescriptor;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.BeanUtils;

class SettingsLayerTest {
    static List<String> settings() {
        return Arrays.stream(BeanUtils.getPropertyDescriptors(PolicyProperties.class))
                .filter(property -> property.getWriteMethod() != null)
                .map(PropertyDescriptor::getName)
                .toList();
    }

    @ParameterizedTest
    @MethodSource("settings")
    void oneSettingMakesALayer(String setting) throws ReflectiveOperationException {
        PolicyProperties properties = new PolicyProperties();
        assertThat(new SettingsLayer("dedup.topics.orders", properties).isEmpty())
                .isTrue();
        PropertyDescriptor property = BeanUtils.getPropertyDescriptor(PolicyProperties.class, setting);
        property.getWriteMethod().invoke(properties, valueOf(property.getPropertyType()));
        assertThat(new SettingsLayer("dedup.topics.orders", properties).isEmpty())
                .isFalse();
    }

    private static Object valueOf(Class<?> type) {
        if (type.isEnum()) {
            return type.getEnumConstants()[0];
        }
        return List.<Object>of(true, "key", 1, Duration.ofSeconds(1), Window.forever()).stream()
                .filter(type::isInstance)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void namesOfAConsumerMakeNone() {
        ListenerProperties properties = new ListenerProperties();
        properties.setConsumer("billing");
        properties.setConsumerGroup("billing");
        assertThat(new SettingsLayer("dedup.listeners.billing", properties).isEmpty())
                .isTrue();
    }
}

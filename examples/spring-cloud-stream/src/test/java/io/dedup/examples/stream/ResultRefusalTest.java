package io.dedup.examples.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.spring.boot.Deduplicated;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.integration.annotation.Aggregator;
import org.springframework.integration.annotation.Filter;
import org.springframework.integration.annotation.InboundChannelAdapter;
import org.springframework.integration.annotation.Publisher;
import org.springframework.integration.annotation.Router;
import org.springframework.integration.annotation.ServiceActivator;
import org.springframework.integration.annotation.Splitter;
import org.springframework.integration.annotation.Transformer;
import org.springframework.util.ClassUtils;

/** What a flow or a binding would send on after the call is lost with its process: the repeated message is a duplicate. */
class ResultRefusalTest {
    private final ApplicationContextRunner app = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    AopAutoConfiguration.class,
                    ofDedup("DedupAutoConfiguration"),
                    ofDedup("DedupMethodAutoConfiguration")))
            .withPropertyValues("dedup.store=memory");

    static class OfAggregator {
        @Aggregator(inputChannel = "orders")
        @Deduplicated(topic = "orders", consumer = "stock", id = "#order")
        public String handle(String order) {
            return "invoice";
        }
    }

    static class OfFilter {
        @Filter(inputChannel = "orders")
        @Deduplicated(topic = "orders", consumer = "stock", id = "#order")
        public Boolean handle(String order) {
            return true;
        }
    }

    static class OfRouter {
        @Router(inputChannel = "orders")
        @Deduplicated(topic = "orders", consumer = "stock", id = "#order")
        public String handle(String order) {
            return "invoice";
        }
    }

    static class OfServiceActivator {
        @ServiceActivator(inputChannel = "orders")
        @Deduplicated(topic = "orders", consumer = "stock", id = "#order")
        public String handle(String order) {
            return "invoice";
        }
    }

    static class OfSplitter {
        @Splitter(inputChannel = "orders")
        @Deduplicated(topic = "orders", consumer = "stock", id = "#order")
        public String handle(String order) {
            return "invoice";
        }
    }

    static class OfTransformer {
        @Transformer(inputChannel = "orders")
        @Deduplicated(topic = "orders", consumer = "stock", id = "#order")
        public String handle(String order) {
            return "invoice";
        }
    }

    static class OfInboundAdapter {
        @InboundChannelAdapter("orders")
        @Deduplicated(topic = "orders", consumer = "stock", id = "#order")
        public String handle(String order) {
            return "invoice";
        }
    }

    static class OfPublisher {
        @Publisher("orders")
        @Deduplicated(topic = "orders", consumer = "stock", id = "#order")
        public String handle(String order) {
            return "invoice";
        }
    }

    static class OfFunction implements Function<String, String> {
        @Override
        @Deduplicated(topic = "orders", consumer = "stock", id = "#order")
        public String apply(String order) {
            return "invoice";
        }
    }

    static class OfConsumer implements Consumer<String> {
        @Override
        @Deduplicated(topic = "orders", consumer = "stock", id = "#order")
        public void accept(String order) {}
    }

    static class ReturnsNothing {
        @ServiceActivator(inputChannel = "orders")
        @Deduplicated(topic = "returns", consumer = "stock", id = "#order")
        public void handle(String order) {}
    }

    /** They aren't public. */
    private static Class<?> ofDedup(String name) {
        return ClassUtils.resolveClassName("io.dedup.spring.boot.autoconfigure." + name, null);
    }

    private void refused(Class<?> bean, String sending) {
        app.withBean(bean)
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining("Method " + bean.getSimpleName() + ".")
                        .hasStackTraceContaining("(" + sending + ")")
                        .hasStackTraceContaining("the result is never sent"));
    }

    @Test
    @DisplayName("methods of flows and functions whose result goes to the next channel or an output")
    void refused() {
        refused(OfAggregator.class, "@Aggregator");
        refused(OfFilter.class, "@Filter");
        refused(OfRouter.class, "@Router");
        refused(OfServiceActivator.class, "@ServiceActivator");
        refused(OfSplitter.class, "@Splitter");
        refused(OfTransformer.class, "@Transformer");
        refused(OfInboundAdapter.class, "@InboundChannelAdapter");
        refused(OfPublisher.class, "@Publisher");
        refused(OfFunction.class, "a function of Spring Cloud");
        app.withBean(OfConsumer.class)
                .withBean(ReturnsNothing.class)
                .run(context -> assertThat(context).hasNotFailed());
    }
}

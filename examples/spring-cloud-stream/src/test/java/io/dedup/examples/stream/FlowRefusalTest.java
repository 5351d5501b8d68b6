package io.dedup.examples.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dedup.spring.boot.DedupConfigurationException;
import io.dedup.spring.boot.integration.DedupReceiverInterceptor;
import java.util.List;
import java.util.function.Function;
import org.aopalliance.intercept.Joinpoint;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.integration.annotation.IdempotentReceiver;
import org.springframework.integration.annotation.ServiceActivator;
import org.springframework.integration.dsl.IntegrationFlow;
import org.springframework.integration.dsl.context.IntegrationFlowContext;
import org.springframework.integration.handler.MessageHandlerChain;
import org.springframework.integration.handler.MessageProcessor;
import org.springframework.integration.handler.ServiceActivatingHandler;
import org.springframework.integration.handler.advice.ErrorMessageSendingRecoverer;
import org.springframework.integration.handler.advice.ExpressionEvaluatingRequestHandlerAdvice;
import org.springframework.integration.handler.advice.HandleMessageAdviceAdapter;
import org.springframework.integration.handler.advice.RequestHandlerRetryAdvice;
import org.springframework.integration.support.MessageBuilder;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageChannel;
import org.springframework.messaging.MessageHandler;
import org.springframework.messaging.ReactiveMessageHandler;
import reactor.core.publisher.Mono;

/** Handlers of flows behind an advice that return although their effect hasn't happened, or call themselves again in one transaction. */
class FlowRefusalTest {
    private final ApplicationContextRunner app = new ApplicationContextRunner()
            .withUserConfiguration(Advices.class)
            .withPropertyValues(
                    "spring.config.name=none",
                    "spring.datasource.url=jdbc:h2:mem:flows",
                    "dedup.store=jdbc",
                    "dedup.jdbc.initialize-schema=always");

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Advices {
        @Bean
        DedupReceiverInterceptor once() {
            return new DedupReceiverInterceptor("mail", "mailing", "header:mailId");
        }

        @Bean
        RequestHandlerRetryAdvice retries() {
            return new RequestHandlerRetryAdvice();
        }

        @Bean
        RequestHandlerRetryAdvice recovers() {
            RequestHandlerRetryAdvice advice = new RequestHandlerRetryAdvice();
            advice.setRecoveryCallback(new ErrorMessageSendingRecoverer());
            return advice;
        }

        @Bean
        ExpressionEvaluatingRequestHandlerAdvice traps() {
            ExpressionEvaluatingRequestHandlerAdvice advice = new ExpressionEvaluatingRequestHandlerAdvice();
            advice.setTrapException(true);
            return advice;
        }

        @Bean
        ExpressionEvaluatingRequestHandlerAdvice answers() {
            ExpressionEvaluatingRequestHandlerAdvice advice = new ExpressionEvaluatingRequestHandlerAdvice();
            advice.setOnFailureExpressionString("'failed'");
            advice.setReturnFailureExpressionResult(true);
            return advice;
        }
    }

    static class Retrying {
        @ServiceActivator(
                inputChannel = "mail",
                adviceChain = {"once", "retries"})
        void send(String text) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class RetryingFurtherOut {
        @Bean
        HandleMessageAdviceAdapter around() {
            return new HandleMessageAdviceAdapter(Joinpoint::proceed);
        }

        @Bean
        @ServiceActivator(
                inputChannel = "mail",
                adviceChain = {"around", "once"})
        MessageHandler mails() {
            return message -> {};
        }
    }

    static class Recovering {
        @ServiceActivator(
                inputChannel = "mail",
                adviceChain = {"once", "recovers"})
        void send(String text) {}
    }

    /** A handler that cannot have a reply gets all advices around itself. */
    @Configuration(proxyBeanMethods = false)
    static class Trapping {
        @Bean
        IntegrationFlow mails(DedupReceiverInterceptor once, ExpressionEvaluatingRequestHandlerAdvice traps) {
            return IntegrationFlow.from("mail")
                    .handle(message -> {}, endpoint -> endpoint.advice(once, traps))
                    .get();
        }
    }

    static class Answering {
        @ServiceActivator(
                inputChannel = "mail",
                adviceChain = {"once", "answers"})
        void send(String text) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class Chained {
        @Bean
        @ServiceActivator(inputChannel = "mail")
        @IdempotentReceiver("once")
        MessageHandlerChain mails(ExpressionEvaluatingRequestHandlerAdvice traps) {
            ServiceActivatingHandler handler = new ServiceActivatingHandler((MessageProcessor<String>) message -> null);
            handler.setAdviceChain(List.of(traps));
            MessageHandlerChain chain = new MessageHandlerChain();
            chain.setHandlers(List.of(handler));
            return chain;
        }
    }

    static class Asynchronous {
        @ServiceActivator(inputChannel = "mail", adviceChain = "once", async = "true")
        void send(String text) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class OfReactor {
        @Bean
        @ServiceActivator(inputChannel = "mail", adviceChain = "once")
        ReactiveMessageHandler mails() {
            return message -> Mono.empty();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ReadReactively {
        @Bean
        IntegrationFlow mails(DedupReceiverInterceptor once) {
            return IntegrationFlow.from("mail")
                    .handle(message -> {}, endpoint -> endpoint.advice(once).reactive(Function.identity()))
                    .get();
        }
    }

    private void refused(Class<?> flow, String problem, String... properties) {
        app.withUserConfiguration(flow)
                .withPropertyValues(properties)
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .isInstanceOf(DedupConfigurationException.class)
                        .hasMessageContaining("dvice once")
                        .hasMessageContaining(problem));
    }

    private void starts(Class<?> flow, String... properties) {
        app.withUserConfiguration(flow)
                .withPropertyValues(properties)
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    @DisplayName("an advice that calls the handler again within the transaction of its deduplication")
    void repeats() {
        refused(Retrying.class, "calls it again after a failure", "dedup.listeners.once.mode=transactional");
        starts(Retrying.class, "dedup.listeners.once.mode=leased");
        starts(RetryingFurtherOut.class, "dedup.listeners.once.mode=transactional");
    }

    @Test
    @DisplayName("an advice that takes the handler's failures, also of a handler in a chain")
    void takesFailures() {
        refused(Recovering.class, "takes its failures");
        refused(Trapping.class, "takes its failures");
        refused(Answering.class, "takes its failures");
        refused(Chained.class, "takes its failures");
    }

    @Test
    @DisplayName("a flow that is registered later: its messages fail")
    void later() {
        app.run(context -> {
            context.getBean(IntegrationFlowContext.class)
                    .registration(new Trapping()
                            .mails(context.getBean(DedupReceiverInterceptor.class), new Advices().traps()))
                    .register();
            MessageChannel mails = context.getBean("mail", MessageChannel.class);
            Message<String> message =
                    MessageBuilder.withPayload("text").setHeader("mailId", "1").build();
            assertThatThrownBy(() -> mails.send(message))
                    .rootCause()
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("takes its failures");
        });
    }

    @Test
    @DisplayName("a handler that returns before its effect, or on which the advice wouldn't be called")
    void reactive() {
        refused(Asynchronous.class, "is asynchronous");
        refused(OfReactor.class, "is a ReactiveMessageHandler");
        starts(ReadReactively.class);
        refused(ReadReactively.class, "as a reactive stream", "dedup.strict=true");
    }
}

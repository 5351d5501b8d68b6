package io.dedup.spring.boot.integration;

import io.dedup.id.MessageIdExtractor;
import io.dedup.spring.boot.CallDeferredException;
import io.dedup.spring.boot.DedupConfigurationException;
import io.dedup.spring.boot.internal.call.DeduplicatedCalls;
import io.dedup.spring.boot.internal.integration.FlowReceivers;
import java.util.Objects;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.env.Environment;
import org.springframework.integration.MessageRejectedException;
import org.springframework.integration.StaticMessageHeaderAccessor;
import org.springframework.integration.acks.AcknowledgmentCallback;
import org.springframework.integration.core.MessagingTemplate;
import org.springframework.integration.handler.MessageProcessor;
import org.springframework.integration.handler.advice.AbstractHandleMessageAdvice;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageChannel;

/**
 * Lets a message handler of Spring Integration take effect once for each business ID. Declare it as a bean, and name it where an
 * {@code IdempotentReceiverInterceptor} would be named: in {@code @IdempotentReceiver}, in {@code adviceChain} of an annotation such as
 * {@code @ServiceActivator}, or in {@code advice()} of the Java DSL.
 *
 * <p>The ID is claimed before the handler is called, and recorded when the handler has returned: after what it sends on has been handled
 * as well, as far as the channels are direct. If the handler fails, the claim is released, and the message is handled when it comes
 * again. While the same ID is being handled elsewhere, or the store doesn't answer, the sender waits; after the {@code max-wait} of
 * {@code dedup.listeners.<name of the bean>}, it gets a {@link CallDeferredException}, so that
 * its source delivers the message again.
 *
 * <p>A duplicate is never passed to the handler. It is dropped, or sent to the {@linkplain #setDiscardChannel discard channel}. If the handler
 * acknowledges its messages itself, set one, and acknowledge duplicates there; only an {@link AcknowledgmentCallback} in the header of a
 * duplicate that is dropped is called here.
 *
 * <p>Its policy, such as mode and window, is that of {@code dedup.topics.<topic>} and {@code dedup.listeners.<name of the bean>}.
 * Thread-safe after its configuration.
 */
public final class DedupReceiverInterceptor extends AbstractHandleMessageAdvice implements SmartInitializingSingleton {
    private final String topic;
    private final String consumer;
    private final @Nullable String id;
    private final @Nullable MessageIdExtractor<Message<?>> strategy;
    private final MessagingTemplate messagingTemplate = new MessagingTemplate();
    private @Nullable MessageChannel discardChannel;
    private @Nullable String discardChannelName;
    private boolean throwExceptionOnRejection;
    private volatile FlowReceivers.@Nullable Receiver receiver;

    /**
     * Finds the ID by an expression.
     *
     * @param topic any name; IDs are unique within it
     * @param consumer the name of what the handler does: two consumers handle the same message once each
     * @param id such as {@code header:order-id} or {@code spel:payload.id}; {@code dedup.listeners.<name of the bean>.id} overrides it
     */
    public DedupReceiverInterceptor(String topic, String consumer, String id) {
        this(topic, consumer, Objects.requireNonNull(id, "id"), null);
    }

    /**
     * Finds the ID by a key strategy, such as that of a {@code MetadataStoreSelector}.
     *
     * @param topic any name; IDs are unique within it
     * @param consumer the name of what the handler does: two consumers handle the same message once each
     * @param keyStrategy returns the ID; null counts as a missing ID
     */
    public DedupReceiverInterceptor(String topic, String consumer, MessageProcessor<String> keyStrategy) {
        this(topic, consumer, null, MessageIdExtractor.named("value of its key strategy", keyStrategy::processMessage));
    }

    private DedupReceiverInterceptor(
            String topic, String consumer, @Nullable String id, @Nullable MessageIdExtractor<Message<?>> strategy) {
        this.topic = Objects.requireNonNull(topic, "topic");
        this.consumer = Objects.requireNonNull(consumer, "consumer");
        this.id = id;
        this.strategy = strategy;
    }

    /**
     * Sets how long a send to the discard channel may block.
     *
     * @param timeout in milliseconds
     */
    public void setTimeout(long timeout) {
        messagingTemplate.setSendTimeout(timeout);
    }

    /**
     * Sets whether the sender of a duplicate gets a {@link MessageRejectedException}, after the duplicate was sent to the discard
     * channel. The default is false. A source that delivers failed messages again delivers the duplicate again.
     */
    public void setThrowExceptionOnRejection(boolean throwExceptionOnRejection) {
        this.throwExceptionOnRejection = throwExceptionOnRejection;
    }

    /** Sets the channel to which duplicates are sent. By default they are dropped. */
    public void setDiscardChannel(MessageChannel discardChannel) {
        this.discardChannel = discardChannel;
    }

    /** Sets the name of the channel to which duplicates are sent, if there is no {@link #setDiscardChannel discard channel}. */
    public void setDiscardChannelName(String discardChannelName) {
        this.discardChannelName = discardChannelName;
    }

    @Override
    public String getComponentType() {
        return "dedup-receiver-interceptor";
    }

    /**
     * Checks the configuration.
     *
     * @throws DedupConfigurationException when it cannot work as configured
     */
    @Override
    public void afterSingletonsInstantiated() {
        FlowReceivers.Receiver unused = receiver();
    }

    private FlowReceivers.Receiver receiver() {
        FlowReceivers.Receiver known = receiver;
        if (known == null) {
            synchronized (this) {
                known = receiver;
                if (known == null) {
                    known = planned();
                    receiver = known;
                }
            }
        }
        return known;
    }

    private FlowReceivers.Receiver planned() {
        BeanFactory beans = getBeanFactory();
        String name = getBeanName();
        if (beans == null || name == null) {
            throw new IllegalStateException(
                    "A DedupReceiverInterceptor has to be a bean: declare it in a @Bean method, and pass the bean to advice()");
        }
        return beans.getBean(Environment.class).getProperty("dedup.enabled", Boolean.class, true)
                ? beans.getBean(FlowReceivers.class).of(this, name, topic, consumer, id, strategy)
                : FlowReceivers.Receiver.switchedOff(name);
    }

    @Override
    protected @Nullable Object doInvoke(MethodInvocation invocation, Message<?> message) throws Throwable {
        FlowReceivers.Receiver its = receiver();
        if (invocation instanceof ProxyMethodInvocation called) {
            its.require(called.getProxy(), this);
        }
        if (!its.handle(message, DeduplicatedCalls.Body.of(invocation))) {
            discard(message);
        }
        return null; // handleMessage returns nothing
    }

    /** For a handler that acknowledges its messages itself, and doesn't get the duplicate. */
    private static void acknowledge(Message<?> duplicate) {
        AcknowledgmentCallback callback = StaticMessageHeaderAccessor.getAcknowledgmentCallback(duplicate);
        if (callback != null && !callback.isAutoAck() && !callback.isAcknowledged()) {
            callback.acknowledge();
        }
    }

    private void discard(Message<?> duplicate) {
        MessageChannel channel = discardChannel;
        if (channel == null && discardChannelName != null) {
            channel = getChannelResolver().resolveDestination(discardChannelName);
            discardChannel = channel;
        }
        if (channel != null) {
            messagingTemplate.send(channel, duplicate);
        } else if (!throwExceptionOnRejection) {
            acknowledge(duplicate);
        }
        if (throwExceptionOnRejection) {
            throw new MessageRejectedException(duplicate, "The advice " + getBeanName() + " rejected a duplicate");
        }
    }
}

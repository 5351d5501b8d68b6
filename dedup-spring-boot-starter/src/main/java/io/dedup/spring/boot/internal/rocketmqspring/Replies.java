package io.dedup.spring.boot.internal.rocketmqspring;

import io.dedup.rocketmq.remoting.RequestListener;
import io.dedup.spring.boot.internal.check.LateResults;
import io.dedup.text.Printable;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.nio.charset.Charset;
import java.time.Duration;
import org.apache.rocketmq.common.message.Message;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.spring.core.RocketMQReplyListener;
import org.apache.rocketmq.spring.support.DefaultRocketMQListenerContainer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.messaging.converter.MessageConverter;
import org.springframework.messaging.converter.SmartMessageConverter;
import org.springframework.messaging.support.MessageBuilder;

/**
 * Calls a reply listener as its container does, with the container's converter and settings. The container sends the listener's
 * replies without returning them, so that they couldn't be stored. Thread-safe.
 */
final class Replies implements RequestListener {
    private static final Logger log = LoggerFactory.getLogger("io.dedup");

    private final DefaultRocketMQListenerContainer container;
    private final RocketMQReplyListener<Object, Object> listener;
    private final Type payload;
    private final MethodParameter parameter;

    @SuppressWarnings("unchecked") // it gets what its declaration says
    Replies(ListenerContainer of) {
        this.container = of.container();
        this.listener = (RocketMQReplyListener<Object, Object>) container.getRocketMQReplyListener();
        ResolvableType declared = ResolvableType.forClass(AopProxyUtils.ultimateTargetClass(listener))
                .as(RocketMQReplyListener.class)
                .getGeneric(0);
        this.payload = declared.resolve() == null ? Object.class : declared.getType();
        this.parameter = new MethodParameter(of.handler(), 0);
    }

    @Override
    public byte @Nullable [] reply(MessageExt request) throws Exception {
        Object reply = listener.onMessage(payloadOf(request));
        Class<?> late = LateResults.in(reply);
        if (late != null) { // its declaration didn't show it
            throw new IllegalStateException(
                    "The listener has returned a " + late.getSimpleName()
                            + ", so its effect may happen after its return. Its run counts as failed. Wait for the effect in the listener");
        }
        try {
            return encoded(reply);
        } catch (RuntimeException e) { // its effect has happened, and must not happen again
            log.error(
                    "The reply to the request in topic {}, message {} cannot be converted. The request is handled, and gets"
                            + " no reply: {}",
                    request.getTopic(),
                    Printable.sentence(String.valueOf(request.getMsgId())),
                    Printable.ofException(e));
            log.debug("The reply cannot be converted", e);
            return null;
        }
    }

    private @Nullable Object payloadOf(MessageExt request) {
        if (payload == MessageExt.class || payload == Message.class) {
            return request;
        }
        String text = new String(request.getBody(), Charset.forName(container.getCharset()));
        if (payload == String.class) {
            return text;
        }
        MessageConverter converter = container.getMessageConverter();
        org.springframework.messaging.Message<String> message =
                MessageBuilder.withPayload(text).build();
        Class<?> type = ResolvableType.forType(payload).toClass();
        Object converted = payload instanceof ParameterizedType && converter instanceof SmartMessageConverter smart
                ? smart.fromMessage(message, type, parameter)
                : converter.fromMessage(message, type);
        if (converted == null) {
            throw new IllegalArgumentException(
                    "no message converter makes a " + payload.getTypeName() + " of the request");
        }
        return converted;
    }

    private byte[] encoded(@Nullable Object reply) {
        if (reply == null) {
            throw new IllegalArgumentException("the listener returned null");
        }
        org.springframework.messaging.Message<?> message = container
                .getMessageConverter()
                .toMessage(reply, MessageBuilder.withPayload(reply).build().getHeaders());
        Object body = message == null ? null : message.getPayload();
        if (body instanceof byte[] bytes) {
            return bytes;
        }
        if (body instanceof String text) {
            return text.getBytes(Charset.forName(container.getCharset()));
        }
        throw new IllegalArgumentException("no message converter makes text or bytes of "
                + reply.getClass().getName());
    }

    @Override
    public Duration replyTimeout() {
        return Duration.ofMillis(container.getRocketMQMessageListener().replyTimeout());
    }

    @Override
    public int delayLevelWhenNextConsume() {
        return container.getDelayLevelWhenNextConsume();
    }

    @Override
    public long suspendCurrentQueueTimeMillis() {
        return container.getSuspendCurrentQueueTimeMillis();
    }
}

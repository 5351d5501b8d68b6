package io.dedup.kafka.internal.reply;

import io.dedup.kafka.internal.KafkaLog;
import io.dedup.kafka.internal.spring.HandlerMethods;
import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.Expression;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.kafka.listener.adapter.InvocationResult;
import org.springframework.kafka.listener.adapter.MessagingMessageListenerAdapter;
import org.springframework.kafka.listener.adapter.MessagingMessageListenerAdapter.ReplyExpressionRoot;
import org.springframework.kafka.support.KafkaUtils;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Where spring-kafka sends a reply. It evaluates this when the handler has returned, and would count a failure as one of
 * the handler, whose effect has happened. So here it is a failure of the reply, and the listener returns.
 */
public final class ReplyTopic extends CompositeStringExpression {
    private static final Logger log = LoggerFactory.getLogger(KafkaLog.NAME);

    private final Expression topic;
    private final boolean hasTemplate;
    private final Supplier<@Nullable ReplyExchange> replying;

    private ReplyTopic(Expression topic, boolean hasTemplate, Supplier<@Nullable ReplyExchange> replying) {
        super(topic.getExpressionString(), new Expression[] {topic});
        this.topic = topic;
        this.hasTemplate = hasTemplate;
        this.replying = replying;
    }

    /**
     * Takes the place of the one behind a listener, if there is one.
     *
     * @param replying supplies the exchange of the listener call on the current thread; null if its reply isn't stored
     * @return makes the ones that take the places of those that come with results
     */
    public static UnaryOperator<Expression> take(
            MessagingMessageListenerAdapter<?, ?> adapter, Supplier<@Nullable ReplyExchange> replying)
            throws ReflectiveOperationException {
        Class<?> type = MessagingMessageListenerAdapter.class;
        boolean hasTemplate = HandlerMethods.read(type, "replyTemplate", adapter) != null;
        UnaryOperator<Expression> ours = topic -> new ReplyTopic(topic, hasTemplate, replying);
        if (HandlerMethods.read(type, "replyTopicExpression", adapter) instanceof Expression topic) {
            HandlerMethods.write(type, "replyTopicExpression", adapter, ours.apply(topic));
        }
        return ours;
    }

    /** Returns null if nothing is to be sent. */
    @Override
    @SuppressWarnings("NullAway") // spring-kafka accepts null, as other expressions may return it
    public @Nullable String getValue(EvaluationContext context, @Nullable Object root) {
        ReplyExchange exchange = replying.get();
        try {
            Object value = topic.getValue(context, root);
            String name = value instanceof byte[] bytes ? new String(bytes, StandardCharsets.UTF_8) : (String) value;
            if (name != null && !hasTemplate) {
                throw new IllegalStateException("a KafkaTemplate is required to support replies");
            }
            if (name != null && exchange != null && root instanceof ReplyExpressionRoot reply && hasContent(reply)) {
                exchange.begins();
            }
            return name;
        } catch (Throwable e) {
            if (TransactionSynchronizationManager.isActualTransactionActive()) {
                throw e; // its rollback undoes the effect
            }
            if (exchange == null) {
                log.error("Cannot determine where to send the reply to {}, which stays unanswered", request(root), e);
            } else {
                exchange.failed(e);
            }
            return null;
        }
    }

    /** Whether spring-kafka sends anything for this result: it doesn't for null or an empty collection. */
    private static boolean hasContent(ReplyExpressionRoot reply) {
        Object result = reply.result() instanceof InvocationResult wrapped ? wrapped.result() : reply.result();
        return result instanceof Iterable<?> many ? many.iterator().hasNext() : result != null;
    }

    private static String request(@Nullable Object root) {
        return root instanceof ReplyExpressionRoot reply && reply.request() instanceof ConsumerRecord<?, ?> record
                ? "the request " + KafkaUtils.format(record)
                : "a batch";
    }
}

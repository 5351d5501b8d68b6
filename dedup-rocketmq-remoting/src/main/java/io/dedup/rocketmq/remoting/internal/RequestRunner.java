package io.dedup.rocketmq.remoting.internal;

import io.dedup.DedupKey;
import io.dedup.ResultCodec;
import io.dedup.adapter.ConsumerGroup;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Execution;
import io.dedup.adapter.inplace.InPlaceConsumer;
import io.dedup.adapter.inplace.InPlaceConsumer.Answer;
import io.dedup.adapter.inplace.InPlaceRunner;
import io.dedup.adapter.inplace.LoggedWork;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyContext;
import org.apache.rocketmq.client.consumer.listener.ConsumeOrderlyContext;
import org.apache.rocketmq.common.message.MessageExt;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a listener of requests once for each ID, stores its reply with the record, and sends it. A duplicate request gets the stored
 * reply. A reply is sent when its request is done, so that a request is never handled again because its reply cannot be sent.
 * Thread-safe.
 */
public final class RequestRunner {
    private static final Logger log = LoggerFactory.getLogger("io.dedup.rocketmq.remoting.RemotingDedup");

    private static final ResultCodec<byte[]> UNCHANGED = ResultCodec.bytes();

    private final DedupAdapter engine;
    private final InPlaceConsumer consumer;
    private final MessageDeliveries deliveries;
    private final RequestHandler handler;
    private final ReplySender sender;

    /** The reply to one request; null until there is one. */
    private static final class Reply {
        private byte @Nullable [] body;
    }

    public RequestRunner(
            ConsumerGroup group,
            DedupAdapter engine,
            MessageDeliveries deliveries,
            RequestHandler handler,
            ReplySender sender) {
        this.engine = engine;
        this.consumer = new InPlaceConsumer(group, log);
        this.deliveries = deliveries;
        this.handler = handler;
        this.sender = sender;
    }

    /** See {@link ConcurrentHandler}. */
    public Answer concurrently(MessageExt request, InPlaceRunner.Call call, ConsumeConcurrentlyContext own) {
        return handle(
                request,
                call,
                () -> own.setDelayLevelWhenNextConsume(handler.delayLevel().getAsInt()));
    }

    /** See {@link OrderlyHandler}. */
    public Answer orderly(MessageExt request, InPlaceRunner.Call call, ConsumeOrderlyContext own) {
        return handle(
                request,
                call,
                () -> own.setSuspendCurrentQueueTimeMillis(
                        handler.suspendMillis().getAsLong()));
    }

    private Answer handle(MessageExt request, InPlaceRunner.Call call, Runnable onFailure) {
        Reply reply = new Reply();
        Answer answer = consumer.handle(
                call,
                request.getTopic(),
                () -> deliveries.of(request),
                new LoggedWork(log, () -> MessageDeliveries.origin(request), execution -> {
                    reply.body = null;
                    onFailure.run(); // has no effect unless the listener throws
                    reply.body = handler.listener().reply(request);
                    return stored(execution, reply.body);
                }),
                done -> {
                    reply.body = done.result();
                    if (reply.body == null) {
                        log.warn(
                                "No reply is stored for the duplicate request in {}: its requester gets none",
                                MessageDeliveries.origin(request));
                    }
                });
        if (answer == Answer.ACKNOWLEDGE && reply.body != null) {
            sender.send(request, reply.body);
        }
        return answer;
    }

    private byte @Nullable [] stored(Execution execution, byte @Nullable [] reply) {
        DedupKey key = execution.key();
        return reply == null || key == null || !execution.guarded()
                ? null
                : engine.results()
                        .encode(
                                key,
                                UNCHANGED,
                                execution.delivery().topic().policy().maxResultBytes(),
                                reply);
    }
}

package io.dedup.simulation.rocketmq;

import io.dedup.simulation.rocketmq.World.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyContext;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus;
import org.apache.rocketmq.client.consumer.listener.ConsumeOrderlyContext;
import org.apache.rocketmq.client.consumer.listener.ConsumeOrderlyStatus;
import org.apache.rocketmq.client.consumer.listener.MessageListener;
import org.apache.rocketmq.client.consumer.listener.MessageListenerConcurrently;
import org.apache.rocketmq.client.consumer.listener.MessageListenerOrderly;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.common.message.MessageQueue;
import org.jspecify.annotations.Nullable;

/**
 * The older client's push consumer: a thread for each of its queues, which pulls, and threads that call the listener. What it does with
 * the listener's answers is written after {@code ConsumeMessageConcurrentlyService} and {@code ConsumeMessageOrderlyService}.
 */
final class OlderConsumer implements Member.Consumer {
    private static final Duration LONG_POLL = Duration.ofSeconds(5);
    private static final Duration PERSIST = Duration.ofSeconds(5);
    private static final Duration RETRY_SEND_BACK = Duration.ofSeconds(5);

    private final World world;
    private final QueueBroker broker;
    private final Member process;
    private final int number;
    private final MessageListener listener;
    private final Duration consumeTimeout;
    private final Runnable closeAdapter;
    private final Workers workers = new Workers();
    private final BlockingQueue<Request> requests = new LinkedBlockingQueue<>();
    private final Map<Integer, Held> held = new HashMap<>();
    private boolean closing;

    /** A queue that this consumer has. */
    private static final class Held {
        private final QueueBroker.Queue queue;
        private final QueueBroker.InWork work;
        private boolean dropped;

        private Held(QueueBroker.Queue queue, int from) {
            this.queue = queue;
            this.work = new QueueBroker.InWork(from);
        }
    }

    /** Messages for one call of the listener. */
    private record Request(Held held, List<MessageExt> messages, List<QueueBroker.Stored> stored) {}

    /** @param number by which the broker assigns queues to it */
    OlderConsumer(
            World world,
            QueueBroker broker,
            Member process,
            int number,
            MessageListener listener,
            Duration consumeTimeout,
            Runnable closeAdapter) {
        this.world = world;
        this.broker = broker;
        this.process = process;
        this.number = number;
        this.listener = listener;
        this.consumeTimeout = consumeTimeout;
        this.closeAdapter = closeAdapter;
        for (QueueBroker.Queue queue : broker.queues()) {
            workers.start(process.name() + "-queue-" + queue.number, () -> pull(queue));
        }
        if (listener instanceof MessageListenerConcurrently) {
            for (int i = 0; i < world.circumstances.concurrency(); i++) {
                workers.start(process.name() + "-consume-" + i, this::work);
            }
        }
        workers.start(process.name() + "-persist", this::persist);
    }

    private boolean ends() {
        return closing || process.isDead();
    }

    private boolean owns(QueueBroker.Queue queue) {
        return broker.owner(queue) == number;
    }

    private void pull(QueueBroker.Queue queue) {
        while (!ends()) {
            world.schedule.await(() -> ends() || owns(queue), world.now() + LONG_POLL.toNanos(), false);
            if (!ends() && owns(queue)) {
                Held mine = new Held(queue, broker.committed(queue));
                held.put(queue.number, mine);
                world.step(process.name() + " has queue " + queue.number + " from " + mine.work.next());
                while (!ends() && owns(queue)) {
                    pullOnce(mine);
                }
                if (!process.isDead()) {
                    persist(mine);
                }
                mine.dropped = true;
                held.remove(queue.number);
            }
        }
    }

    private void pullOnce(Held mine) {
        broker.await(mine.queue, mine.work.next(), LONG_POLL, () -> ends() || !owns(mine.queue));
        if (ends() || !owns(mine.queue)) {
            return;
        }
        List<QueueBroker.Stored> pulled = broker.pull(mine.queue, mine.work.next(), world.circumstances.batchSize());
        if (pulled.isEmpty()) {
            return;
        }
        List<MessageExt> messages = new ArrayList<>();
        for (QueueBroker.Stored stored : pulled) {
            MessageExt message = message(stored, mine);
            mine.work.add(message);
            messages.add(message);
        }
        world.step(process.name() + ": pulls "
                + pulled.stream().map(each -> each.number() + "=" + each.id()).toList());
        Request request = new Request(mine, messages, pulled);
        if (listener instanceof MessageListenerOrderly orderly) {
            consumeInOrder(orderly, request);
        } else {
            requests.add(request);
            world.schedule.await( // flow control
                    () -> ends() || requests.size() < 4, world.now() + LONG_POLL.toNanos(), false);
        }
    }

    private static MessageExt message(QueueBroker.Stored stored, Held mine) {
        MessageExt message = new MessageExt();
        message.setTopic(Member.TOPIC);
        message.setMsgId("message-" + stored.number());
        message.setBody(new byte[0]);
        message.setQueueId(mine.queue.number);
        message.setQueueOffset(mine.work.next());
        message.setReconsumeTimes(stored.reconsumed());
        message.putUserProperty("name", stored.id());
        if (stored.hasId()) {
            message.putUserProperty("id", stored.id());
        }
        return message;
    }

    private static MessageQueue queue(Request request) {
        return new MessageQueue(Member.TOPIC, "broker", request.held.queue.number);
    }

    private void work() {
        while (!ends()) {
            try {
                Request next = requests.poll(1, TimeUnit.SECONDS);
                if (next != null && !ends()) {
                    consume(next);
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private void consume(Request request) {
        if (request.held.dropped) {
            return;
        }
        ConsumeConcurrentlyContext context = new ConsumeConcurrentlyContext(queue(request));
        if (world.circumstances.explicitDelay()) {
            context.setDelayLevelWhenNextConsume(world.circumstances.retrySeconds());
        }
        boolean[] done = new boolean[1];
        // What the client does with messages whose listener takes too long: it sends them back.
        world.schedule.after(consumeTimeout).execute(() -> {
            if (!done[0] && !request.held.dropped && !ends()) {
                world.step(process.name() + ": consumeTimeout of " + request.stored);
                for (int i = 0; i < request.messages.size(); i++) {
                    int offset = (int) request.messages.get(i).getQueueOffset();
                    if (request.held.work.holds(offset) && sendBack(request, i, 3)) {
                        request.held.work.remove(offset);
                    }
                }
            }
        });
        ConsumeConcurrentlyStatus status = call(request, context);
        done[0] = true;
        process.mustLive();
        if (request.held.dropped) {
            return;
        }
        int acknowledged = status == ConsumeConcurrentlyStatus.CONSUME_SUCCESS
                ? Math.min(context.getAckIndex(), request.messages.size() - 1)
                : -1;
        List<MessageExt> again = new ArrayList<>();
        List<QueueBroker.Stored> storedAgain = new ArrayList<>();
        for (int i = 0; i < request.messages.size(); i++) {
            MessageExt message = request.messages.get(i);
            int offset = (int) message.getQueueOffset();
            if (!request.held.work.holds(offset)) {
                continue;
            }
            if (i <= acknowledged) {
                broker.consumed(request.stored.get(i), process);
                request.held.work.remove(offset);
            } else if (sendBack(request, i, context.getDelayLevelWhenNextConsume())) {
                request.held.work.remove(offset);
            } else {
                message.setReconsumeTimes(message.getReconsumeTimes() + 1);
                again.add(message);
                storedAgain.add(request.stored.get(i));
            }
        }
        if (!again.isEmpty()) {
            Request later = new Request(request.held, again, storedAgain);
            world.schedule.after(RETRY_SEND_BACK).execute(() -> requests.add(later));
        }
    }

    private @Nullable ConsumeConcurrentlyStatus call(Request request, ConsumeConcurrentlyContext context) {
        try {
            return ((MessageListenerConcurrently) listener).consumeMessage(request.messages, context);
        } catch (Member.Died e) {
            throw e;
        } catch (RuntimeException | Error e) {
            world.step(process.name() + ": the listener throws " + e);
            return null;
        }
    }

    /** Returns whether the client believes that the message was sent back. */
    private boolean sendBack(Request request, int index, int level) {
        Fault fault = world.fault(Fault.AT_SEND_BACK, "send back");
        if (fault != null) {
            world.step(process.name() + ": " + fault);
        }
        if (fault != Fault.SEND_BACK_FAILS) {
            boolean asked = world.ledger.failures(request.stored.get(index).id()) > 0;
            broker.sendBack(
                    request.stored.get(index), request.messages.get(index), level, asked || fault != null, process);
        }
        return fault == null;
    }

    private void consumeInOrder(MessageListenerOrderly orderly, Request request) {
        int most = world.circumstances.maxAttempts();
        while (!ends() && owns(request.held.queue)) {
            ConsumeOrderlyContext context = new ConsumeOrderlyContext(queue(request));
            ConsumeOrderlyStatus status = null;
            try {
                status = orderly.consumeMessage(request.messages, context);
            } catch (Member.Died e) {
                throw e;
            } catch (RuntimeException | Error e) {
                world.step(process.name() + ": the listener throws " + e);
            }
            process.mustLive();
            if (status == ConsumeOrderlyStatus.SUCCESS || suspendsNot(request, most)) {
                for (int i = 0; i < request.messages.size(); i++) {
                    if (status == ConsumeOrderlyStatus.SUCCESS) {
                        broker.consumed(request.stored.get(i), process);
                    }
                    request.held.work.remove((int) request.messages.get(i).getQueueOffset());
                }
                return;
            }
            long suspend = context.getSuspendCurrentQueueTimeMillis();
            long millis = Math.min(30_000, Math.max(10, suspend == -1 ? 1_000 : suspend));
            world.step(process.name() + ": queue " + request.held.queue.number + " is suspended for " + millis + " ms");
            long until = world.now() + Duration.ofMillis(millis).toNanos();
            world.schedule.await(() -> ends() || !owns(request.held.queue), until, false);
        }
    }

    /** Counts an attempt for each message; dead-letters those that have used them up. Whether none is left to be retried. */
    private boolean suspendsNot(Request request, int most) {
        boolean suspends = false;
        for (int i = 0; i < request.messages.size(); i++) {
            MessageExt message = request.messages.get(i);
            if (message.getReconsumeTimes() < most || !sendBack(request, i, 0)) {
                suspends = true;
                message.setReconsumeTimes(message.getReconsumeTimes() + 1);
            }
        }
        return !suspends;
    }

    private void persist() {
        while (!ends()) {
            world.schedule.await(this::ends, world.now() + PERSIST.toNanos(), false);
            if (!process.isDead()) {
                List.copyOf(held.values()).forEach(this::persist);
            }
        }
    }

    private void persist(Held mine) {
        if (!mine.dropped) {
            broker.commit(mine.queue, mine.work.lowest(), process);
        }
    }

    @Override
    public void close() {
        closeAdapter.run();
        world.sleep(Duration.ofMillis(500));
        closing = true;
        broker.wake();
        workers.awaitEnd(Duration.ofMinutes(2));
    }
}

package io.dedup.simulation.rocketmq;

import io.dedup.simulation.rocketmq.World.Fault;
import java.time.Duration;
import java.util.List;
import org.apache.rocketmq.client.apis.consumer.ConsumeResult;
import org.apache.rocketmq.client.apis.consumer.MessageListener;
import org.apache.rocketmq.client.java.message.MessageViewImpl;

/**
 * A push consumer: threads that pass messages to the listener. The broker's proxy keeps them hidden while the process lives. After a
 * failure they are delivered again; in a FIFO group the client itself repeats the call until the attempts are used up.
 */
final class SimulatedPushConsumer implements Member.Consumer {
    private static final Duration LONG_POLL = Duration.ofSeconds(5);

    private final World world;
    private final PopBroker broker;
    private final Member process;
    private final MessageListener listener;
    private final Runnable closeAdapter;
    private final Workers workers = new Workers();
    private boolean closing;

    SimulatedPushConsumer(
            World world, PopBroker broker, Member process, MessageListener listener, Runnable closeAdapter) {
        this.world = world;
        this.broker = broker;
        this.process = process;
        this.listener = listener;
        this.closeAdapter = closeAdapter;
        for (int i = 0; i < world.circumstances.concurrency(); i++) {
            workers.start(process.name() + "-push-" + i, this::work);
        }
    }

    private void work() {
        while (!closing && !process.isDead()) {
            broker.await(LONG_POLL, process);
            if (closing || process.isDead()) {
                return;
            }
            Fault fault = world.fault(Fault.AT_RECEIVE, "receive");
            if (fault == Fault.RECEIVE_FAILS || fault == Fault.RECEIVE_EMPTY) {
                world.sleep(Duration.ofSeconds(1));
                continue;
            }
            boolean lost = fault == Fault.RECEIVE_ANSWER_LOST;
            List<PopBroker.Message> received = broker.receive(
                    process, 1, lost ? world.circumstances.invisible().toNanos() : PopBroker.FOR_EVER, lost);
            if (!lost) {
                received.forEach(this::consume);
            }
        }
    }

    private void consume(PopBroker.Message message) {
        MessageViewImpl view = (MessageViewImpl) PopMessages.view(message, world.circumstances.fifo());
        String handle = message.handle();
        while (true) {
            ConsumeResult result = call(view);
            process.mustLive();
            if (result == ConsumeResult.SUCCESS) {
                repeat(Fault.AT_ACK, "ack", () -> broker.acknowledge(handle, process));
                return;
            }
            world.step(process.name() + ": " + result + " for " + message);
            if (!world.circumstances.fifo()) {
                repeat(Fault.AT_CHANGE, "change", () -> {
                    var unused = broker.hide(handle, world.circumstances.retry(), process);
                });
                return;
            }
            if (view.getDeliveryAttempt() >= world.circumstances.maxAttempts()) {
                if (broker.isValid(handle)) {
                    broker.giveUp(message);
                }
                return;
            }
            int unused = view.incrementAndGetDeliveryAttempt();
            world.sleep(world.circumstances.retry());
        }
    }

    private ConsumeResult call(MessageViewImpl view) {
        try {
            return listener.consume(view);
        } catch (Member.Died e) {
            throw e;
        } catch (RuntimeException | Error e) {
            world.step(process.name() + ": the listener throws " + e);
            return ConsumeResult.FAILURE;
        }
    }

    /** The client repeats what gets no answer. */
    private void repeat(List<Fault> faults, String what, Runnable request) {
        while (!process.isDead()) {
            Fault fault = world.fault(faults, what);
            boolean fails = fault == Fault.ACK_FAILS || fault == Fault.CHANGE_FAILS;
            if (!fails) {
                request.run();
            }
            if (fault == null) {
                return;
            }
            world.sleep(Duration.ofSeconds(1));
        }
    }

    /** The consumer still receives for a while, as the real one does. */
    @Override
    public void close() {
        closeAdapter.run();
        world.sleep(Duration.ofMillis(500));
        closing = true;
        broker.wake();
        workers.awaitEnd(Duration.ofMinutes(2));
    }
}

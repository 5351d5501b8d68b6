package io.dedup.simulation.rocketmq;

import io.dedup.simulation.rocketmq.World.Fault;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.apache.rocketmq.client.apis.ClientException;
import org.apache.rocketmq.client.apis.consumer.FilterExpression;
import org.apache.rocketmq.client.apis.consumer.SimpleConsumer;
import org.apache.rocketmq.client.apis.message.MessageView;
import org.apache.rocketmq.client.java.exception.BadRequestException;
import org.apache.rocketmq.client.java.exception.InternalErrorException;
import org.apache.rocketmq.client.java.message.MessageViewImpl;
import org.jspecify.annotations.Nullable;

/** A simple consumer. As the real one it takes the receipt handle from each answer, from a refusal too. */
final class SimulatedSimpleConsumer {
    private static final Duration LONG_POLL = Duration.ofSeconds(5);

    private final World world;
    private final PopBroker broker;
    private final Member process;
    private boolean closed;

    SimulatedSimpleConsumer(World world, PopBroker broker, Member process) {
        this.world = world;
        this.broker = broker;
        this.process = process;
    }

    SimpleConsumer asConsumer() {
        return (SimpleConsumer) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {SimpleConsumer.class}, (proxy, method, arguments) -> {
                    return switch (method.getName()) {
                        case "getConsumerGroup" -> "group";
                        case "getSubscriptionExpressions" -> Map.of(Member.TOPIC, FilterExpression.SUB_ALL);
                        case "receive" -> receive((int) arguments[0], (Duration) arguments[1]);
                        case "ackAsync" -> acknowledge((MessageViewImpl) arguments[0]);
                        case "changeInvisibleDurationAsync" ->
                            change((MessageViewImpl) arguments[0], (Duration) arguments[1]);
                        default -> throw new AssertionError(method);
                    };
                });
    }

    void close() {
        closed = true;
    }

    private void mustBeOpen() {
        if (closed || process.isDead()) {
            throw new IllegalStateException("the consumer is closed");
        }
    }

    private List<MessageView> receive(int most, Duration invisible) throws ClientException {
        mustBeOpen();
        broker.await(LONG_POLL, process);
        mustBeOpen();
        Fault fault = world.fault(Fault.AT_RECEIVE, "receive");
        if (fault == Fault.RECEIVE_FAILS) {
            world.step(process.name() + ": receive fails");
            throw new InternalErrorException("simulated: the broker doesn't answer");
        }
        if (fault == Fault.RECEIVE_EMPTY) {
            return List.of();
        }
        List<PopBroker.Message> received =
                broker.receive(process, most, invisible.toNanos(), fault == Fault.RECEIVE_ANSWER_LOST);
        if (fault == Fault.RECEIVE_ANSWER_LOST) {
            throw new InternalErrorException("simulated: the broker's answer is lost");
        }
        return received.stream()
                .map(message -> PopMessages.view(message, world.circumstances.fifo()))
                .toList();
    }

    private CompletableFuture<Void> acknowledge(MessageViewImpl view) {
        mustBeOpen();
        String handle = view.getReceiptHandle();
        Fault fault = world.fault(Fault.AT_ACK, "ack");
        return request(view, fault, "ack", () -> handle != null && broker.acknowledge(handle, process) ? handle : null);
    }

    private CompletableFuture<Void> change(MessageViewImpl view, Duration time) {
        mustBeOpen();
        String handle = view.getReceiptHandle();
        Fault fault = world.fault(Fault.AT_CHANGE, "change");
        return request(view, fault, "change", () -> handle == null ? null : broker.hide(handle, time, process));
    }

    /** What the broker does: it returns the new handle, or null if it refuses. */
    @FunctionalInterface
    private interface Request {
        @Nullable
        String execute();
    }

    private CompletableFuture<Void> request(MessageViewImpl view, @Nullable Fault fault, String what, Request request) {
        CompletableFuture<Void> answer = new CompletableFuture<>();
        if (fault != null) {
            world.step(process.name() + ": " + fault + " of " + PopMessages.name(view));
            if (view.getReceiptHandle() != null) {
                broker.disturbed(view.getReceiptHandle());
            }
        }
        boolean late = fault == Fault.ACK_LATE || fault == Fault.CHANGE_LATE;
        Executor after = late
                ? world.schedule.after(Duration.ofSeconds(1 + world.draws.below(8, "late " + world.count("late"))))
                : world.circumstances.asyncAnswers() ? world.schedule.after(Duration.ofMillis(2)) : Runnable::run;
        after.execute(() -> {
            if (process.isDead()) {
                answer.completeExceptionally(new IllegalStateException("the consumer is closed"));
            } else if (fault == Fault.ACK_FAILS || fault == Fault.CHANGE_FAILS) {
                answer.completeExceptionally(new InternalErrorException("simulated: not executed"));
            } else {
                execute(view, fault, what, request, answer);
            }
        });
        return answer;
    }

    private static void execute(
            MessageViewImpl view, @Nullable Fault fault, String what, Request request, CompletableFuture<Void> answer) {
        String handle = request.execute();
        if (fault == Fault.ACK_ANSWER_LOST || fault == Fault.CHANGE_ANSWER_LOST) {
            answer.completeExceptionally(new InternalErrorException("simulated: the answer is lost"));
            return;
        }
        view.setReceiptHandle(handle);
        if (handle == null) {
            answer.completeExceptionally(new BadRequestException(40007, "simulated", "no valid handle to " + what));
        } else {
            answer.complete(null);
        }
    }
}

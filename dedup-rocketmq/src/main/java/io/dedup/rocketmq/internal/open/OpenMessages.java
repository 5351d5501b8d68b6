package io.dedup.rocketmq.internal.open;

import io.dedup.engine.Execution;
import io.dedup.rocketmq.internal.broker.BrokerOrders;
import io.dedup.rocketmq.internal.loop.LoopSettings;
import io.dedup.rocketmq.internal.open.OpenMessage.State;
import io.dedup.rocketmq.internal.thread.Monitor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The messages that a loop has received and not yet answered. It alone changes their state, under one lock, and calls
 * neither store nor listener while it holds it. Thread-safe.
 */
public final class OpenMessages {
    public static final Duration AT_ONCE = Duration.ofSeconds(1);
    private static final Duration LOOK = Duration.ofMillis(200);

    private final Monitor monitor = new Monitor();
    private final Set<OpenMessage> messages = new LinkedHashSet<>(); // compared by identity
    private final Lanes lanes = new Lanes();
    private final LoopSettings settings;
    private final BrokerOrders broker;
    private final Consumer<OpenMessage> decide;
    private final Consumer<OpenMessage> submit;
    private final Runnable whenOver;
    private boolean storeAnswers = true;
    private boolean stuck;
    private boolean stopping;

    /**
     * No messages yet.
     *
     * @param decide is given each message that had to wait in its message group, once, when it is its turn
     * @param submit is given each message that is claimed; see {@link #start}
     * @param whenOver runs, maybe more than once, when the loop stops and nothing is open
     */
    public OpenMessages(
            LoopSettings settings,
            BrokerOrders broker,
            Consumer<OpenMessage> decide,
            Consumer<OpenMessage> submit,
            Runnable whenOver) {
        this.settings = settings;
        this.broker = broker;
        this.decide = decide;
        this.submit = submit;
        this.whenOver = whenOver;
    }

    /** Waits until more may be received, and tells how many messages; 0 when the loop stops. */
    public int awaitRoom() {
        return monitor.with(() -> {
            monitor.awaitUninterruptibly(
                    () -> stopping || (storeAnswers && !stuck && messages.size() < settings.capacity()));
            return stopping ? 0 : settings.capacity() - messages.size();
        });
    }

    /**
     * Takes what was received, and returns those that are to be decided about now. The others wait in their message groups.
     * When the loop stops, all of it goes back, and nothing is returned.
     */
    public List<OpenMessage> add(List<OpenMessage> received) {
        List<OpenMessage> first = new ArrayList<>(received.size());
        boolean accepted = monitor.with(() -> {
            if (!stopping) {
                messages.addAll(received);
                received.forEach(lanes::add);
                received.stream().filter(this::startTurn).forEach(first::add);
            }
            return !stopping;
        });
        if (!accepted) {
            received.forEach(message -> broker.showIn(message, AT_ONCE));
        }
        return first;
    }

    /**
     * Starts the turn of a message that waits in its message group, if nothing of the group is before it; only from then on
     * may it be claimed. An earlier claim would wait behind messages that may wait for that very claim. Under the lock only.
     *
     * @return true once for each message
     */
    private boolean startTurn(OpenMessage message) {
        if (message.state != State.WAITING || !lanes.isFirst(message)) {
            return false;
        }
        message.state = State.UNDECIDED;
        message.waitsSince = System.nanoTime();
        return true;
    }

    /**
     * Sets a batch apart that is to be decided about one by one, by a thread that calls {@link #awaitTurn} for each.
     *
     * @param undecided those whose turn it is already
     * @param received the batch, with those that wait in their message groups; these are set apart where their turn hasn't
     *     come meanwhile
     * @return what is set apart, in the order of the batch
     */
    public List<OpenMessage> setApart(List<OpenMessage> undecided, List<OpenMessage> received) {
        return monitor.with(() -> {
            List<OpenMessage> apart = received.stream()
                    .filter(message -> message.state == State.WAITING || undecided.contains(message))
                    .toList();
            apart.forEach(message -> message.apart = true);
            return apart;
        });
    }

    public boolean isUndecided(OpenMessage message) {
        return monitor.with(() -> message.state == State.UNDECIDED);
    }

    /** The message is claimed, and runs as soon as there is a thread. False when it was given back meanwhile. */
    public boolean ready(OpenMessage message, Execution execution) {
        boolean accepted = monitor.with(() -> {
            if (message.state != State.UNDECIDED) {
                return false;
            }
            message.state = State.READY;
            message.held &= execution.isTransactional(); // the record may defer it again
            message.execution = execution;
            return true;
        });
        if (accepted) {
            submit.accept(message);
        }
        return accepted;
    }

    /** The handler begins, if it has to: whoever is told so runs it. */
    public boolean start(OpenMessage message) {
        return monitor.with(() -> {
            if (message.state != State.READY) {
                return false;
            }
            message.state = State.RUNNING;
            Execution execution = message.execution;
            if (execution == null || !execution.isTransactional()) {
                message.startedAt = System.nanoTime();
            } else if (!message.tried) {
                message.tried = true;
                message.waitsSince = System.nanoTime();
            }
            return true;
        });
    }

    /** The handler begins in its transaction, whose opening may have taken long. */
    public void begun(OpenMessage message) {
        monitor.with(() -> {
            message.held = false;
            message.startedAt = System.nanoTime();
            return true;
        });
    }

    /**
     * The claim is lost, or the transaction came to nothing: the store, or the record, decides once more.
     *
     * @param failed whether its handler has failed
     * @return false when it has to go back: its handler ran for longer than it may, and its message group has gone on without it
     */
    public boolean undecided(OpenMessage message, boolean failed) {
        return monitor.with(() -> {
            message.state = State.UNDECIDED;
            message.lost |= failed;
            message.startedAt = 0;
            message.execution = null;
            return lanes.holds(message);
        });
    }

    /** Waits until nothing of its group is before it. False when it was given back meanwhile. */
    public boolean awaitTurn(OpenMessage message) {
        return monitor.with(() -> {
            monitor.awaitUninterruptibly(() -> message.state != State.WAITING || lanes.isFirst(message));
            return startTurn(message) || message.state == State.UNDECIDED;
        });
    }

    /** Waits until the broker has been told about it, or its handler has run for longer than it may. */
    public void awaitClosed(OpenMessage message) {
        boolean closed = false;
        while (!closed && !message.isOverdue(System.nanoTime())) {
            closed = monitor.await(LOOK, () -> message.state == State.CLOSED);
        }
    }

    /**
     * Makes one message the copy of another: whatever the broker is told of that one, it is told of this one. It keeps its
     * place in its own message group until then.
     */
    public boolean follow(OpenMessage copy, OpenMessage leader) {
        return monitor.with(() -> {
            if (copy.state != State.UNDECIDED || leader.state == State.CLOSED) {
                return false;
            }
            leader.copies.add(copy);
            copy.leader = leader;
            copy.state = State.RUNNING;
            copy.held = false;
            monitor.changed();
            return true;
        });
    }

    /** The store didn't decide; it will be asked again. False when so many wait already that this one had better go back. */
    public boolean hold(OpenMessage message) {
        return monitor.with(() -> {
            long held = messages.stream().filter(other -> other.held).count();
            message.held = message.held || held < settings.capacity() / 2 || message.lane() != null || !storeAnswers;
            return message.held;
        });
    }

    public void storeAnswers(boolean answers) {
        monitor.with(() -> {
            storeAnswers = answers;
            monitor.changed();
            return answers;
        });
    }

    /** Its effect has happened: acks it, and its copies. */
    public void done(OpenMessage message) {
        List<OpenMessage> closed = broker.during(() -> {
            List<OpenMessage> all = close(message, true);
            all.forEach(broker::ack);
            return all;
        });
        afterClose(closed);
    }

    /** It failed: it comes again after the retry delay, and with it what is behind it in its message group. */
    public void failed(OpenMessage message) {
        showIn(message, true, settings.delayOf(message.view));
    }

    /** Nothing has happened: it comes again, and with it what is behind it in its message group. */
    public void giveBack(OpenMessage message, Duration delay) {
        showIn(message, false, delay);
    }

    private void showIn(OpenMessage message, boolean evenRunning, Duration delay) {
        List<OpenMessage> closed = broker.during(() -> {
            List<OpenMessage> all = closeWithBehind(message, evenRunning);
            for (OpenMessage each : all) {
                if (each.execution != null && each.startedAt == 0) {
                    each.execution.giveBack();
                }
                broker.showIn(each, delay);
            }
            return all;
        });
        afterClose(closed);
    }

    /** What is behind it, or behind one of its copies, in its message group must not be handled before it. */
    private List<OpenMessage> closeWithBehind(OpenMessage message, boolean evenRunning) {
        return monitor.with(() -> {
            List<OpenMessage> behind = behind(message);
            List<OpenMessage> closed = new ArrayList<>(close(message, evenRunning));
            if (!closed.isEmpty()) {
                behind.forEach(other -> closed.addAll(close(other, false)));
            }
            return closed;
        });
    }

    private List<OpenMessage> behind(OpenMessage message) {
        List<OpenMessage> behind = new ArrayList<>(lanes.behind(message));
        message.copies.forEach(copy -> behind.addAll(lanes.behind(copy)));
        return behind;
    }

    /** Forgets the message and its copies, which are returned; nothing when it is forgotten already. */
    private List<OpenMessage> close(OpenMessage message, boolean evenRunning) {
        return monitor.with(() -> {
            if (message.state == State.CLOSED || (message.state == State.RUNNING && !evenRunning)) {
                return List.of();
            }
            List<OpenMessage> all = new ArrayList<>(List.of(message));
            all.addAll(message.copies);
            for (OpenMessage each : all) {
                each.state = State.CLOSED;
                messages.remove(each);
                lanes.remove(each);
            }
            monitor.changed();
            return all;
        });
    }

    private void afterClose(List<OpenMessage> closed) {
        List<OpenMessage> next = monitor.with(() -> closed.stream()
                .map(lanes::first)
                .filter(Objects::nonNull)
                .filter(message -> !message.apart && startTurn(message))
                .toList());
        next.forEach(decide);
        if (isOver()) {
            whenOver.run();
        }
    }

    /** Those whose invisible time has to be prolonged by now: it was, this long ago, and their handlers may still run. */
    public List<OpenMessage> toProlong(long now, Duration due) {
        return monitor.with(() -> messages.stream()
                .filter(message ->
                        !message.gone && now - message.extendedAt >= due.toNanos() && !message.isOverdue(now))
                .toList());
    }

    /**
     * A handler that runs for longer than it may has lost its message, which the broker gives to others; it must not hold
     * those that wait for it, or for its thread. They go back.
     */
    public void releaseBehindOverdue(long now) {
        List<OpenMessage> waiting = monitor.with(() -> {
            List<OpenMessage> overdue = messages.stream()
                    .filter(message -> message.startedAt != 0 && message.leader == null && message.isOverdue(now))
                    .toList();
            List<OpenMessage> back = new ArrayList<>();
            for (OpenMessage message : overdue) {
                back.addAll(behind(message));
                lanes.remove(message);
                message.copies.forEach(lanes::remove);
            }
            stuck = overdue.size() >= settings.concurrency();
            if (stuck) {
                messages.stream()
                        .filter(message -> message.state == State.READY)
                        .forEach(back::add);
            }
            monitor.changed();
            return back;
        });
        waiting.forEach(message -> giveBack(message, AT_ONCE));
    }

    public int size() {
        return monitor.with(messages::size);
    }

    public boolean isStopping() {
        return monitor.with(() -> stopping);
    }

    /** Whether the loop stops and nothing is open. */
    public boolean isOver() {
        return monitor.with(() -> stopping && messages.isEmpty());
    }

    public void awaitStop(Duration longest) {
        monitor.await(longest, () -> stopping);
    }

    public boolean awaitEnd(Duration longest) {
        return monitor.await(longest, messages::isEmpty);
    }

    /** Gives back what no handler has begun. */
    public void stop() {
        List<OpenMessage> unstarted = monitor.with(() -> {
            stopping = true;
            monitor.changed();
            return messages.stream()
                    .filter(message -> message.state != State.RUNNING)
                    .toList();
        });
        unstarted.forEach(message -> giveBack(message, AT_ONCE));
        if (isOver()) {
            whenOver.run();
        }
    }
}

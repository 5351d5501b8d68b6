package io.dedup.rocketmq.internal.open;

import io.dedup.adapter.Execution;
import io.dedup.rocketmq.internal.thread.ConditionLock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * The messages that a loop has received and not yet answered. It alone changes their states, under one lock, and calls
 * neither store, broker nor listener. What a change makes necessary, it returns to its caller. Thread-safe.
 */
public final class OpenMessages {
    private static final Duration OVERDUE_CHECK = Duration.ofMillis(200);

    private final ConditionLock lock = new ConditionLock();
    private final Set<OpenMessage> messages = new LinkedHashSet<>(); // compared by identity
    private final MessageGroups groups = new MessageGroups();
    private final int capacity;
    private final int concurrency;
    private boolean storeAnswers = true;
    private boolean stuck; // each handler's thread has an overdue handler
    private boolean stopping;

    /**
     * No messages yet.
     *
     * @param capacity how many messages may be open
     * @param concurrency how many handlers run at once
     */
    public OpenMessages(int capacity, int concurrency) {
        this.capacity = capacity;
        this.concurrency = concurrency;
    }

    /** Waits until more may be received, and returns how many messages; 0 when the loop stops. */
    public int awaitRoom() {
        return lock.get(() -> {
            lock.awaitUninterruptibly(() -> stopping || (storeAnswers && !stuck && messages.size() < capacity));
            return stopping ? 0 : capacity - messages.size();
        });
    }

    /**
     * Adds what was received.
     *
     * @return the messages whose turn it is, the others wait in their message groups; nothing when the loop stops, and none was
     *     added
     */
    public Optional<List<OpenMessage>> add(List<OpenMessage> received) {
        return lock.get(() -> {
            if (stopping) {
                return Optional.empty();
            }
            messages.addAll(received);
            received.forEach(groups::add);
            return Optional.of(received.stream().filter(this::startTurn).toList());
        });
    }

    /**
     * Starts the turn of a message that waits in its message group, if nothing of the group is before it; only from then on
     * may it be claimed. An earlier claim would wait behind messages that may wait for that very claim. Under the lock only.
     *
     * @return true once for each message
     */
    private boolean startTurn(OpenMessage message) {
        if (!message.isWaiting() || !groups.isFirst(message)) {
            return false;
        }
        message.turnBegins();
        return true;
    }

    /** Starts the turns of messages that waited behind these, and returns them, without those that are set apart. */
    public List<OpenMessage> startTurnsBehind(List<OpenMessage> closed) {
        return lock.get(() -> closed.stream()
                .map(groups::first)
                .filter(Objects::nonNull)
                .filter(message -> !message.isApart() && startTurn(message))
                .toList());
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
        return lock.get(() -> {
            List<OpenMessage> apart = received.stream()
                    .filter(message -> message.isWaiting() || undecided.contains(message))
                    .toList();
            apart.forEach(OpenMessage::setApart);
            return apart;
        });
    }

    /** Waits until nothing of its group is before the message. Returns false when it was given back meanwhile. */
    public boolean awaitTurn(OpenMessage message) {
        return lock.get(() -> {
            lock.awaitUninterruptibly(() -> !message.isWaiting() || groups.isFirst(message));
            return startTurn(message) || message.isUndecided();
        });
    }

    /** Waits until the message is answered, or its handler has run for longer than it may. */
    public void awaitClosed(OpenMessage message) {
        boolean closed = false;
        while (!closed && !message.isOverdue(System.nanoTime())) {
            closed = lock.await(OVERDUE_CHECK, message::isClosed);
        }
    }

    public boolean isUndecided(OpenMessage message) {
        return lock.get(message::isUndecided);
    }

    /** The message is claimed, and is to run as soon as there is a thread. Returns false when it was given back meanwhile. */
    public boolean claimed(OpenMessage message, Execution execution) {
        return lock.get(() -> {
            boolean wanted = message.isUndecided();
            if (wanted) {
                message.claimed(execution);
            }
            return wanted;
        });
    }

    /** A thread is about to run the handler. Returns false when the message was given back meanwhile, and mustn't run. */
    public boolean start(OpenMessage message) {
        return lock.get(() -> {
            boolean wanted = message.isReady();
            if (wanted) {
                message.starts();
            }
            return wanted;
        });
    }

    /** The handler begins in its transaction, whose opening may have taken long. */
    public void begunInTransaction(OpenMessage message) {
        lock.run(message::begunInTransaction);
    }

    /**
     * The claim is lost, or the transaction came to nothing: the store, or the record, decides once more.
     *
     * @param hasFailed whether its handler has failed
     * @return false when it has to be given back: its handler ran for longer than it may, and its message group has gone on
     *     without it
     */
    public boolean undecidedAgain(OpenMessage message, boolean hasFailed) {
        return lock.get(() -> {
            message.undecidedAgain(hasFailed);
            return groups.holds(message);
        });
    }

    /**
     * Makes one message the copy of another: whatever the broker is told of that one, it is told of this one. The copy keeps
     * its place in its own message group until then. Returns false when one of them was given back meanwhile.
     */
    public boolean follow(OpenMessage copy, OpenMessage leader) {
        return lock.get(() -> {
            if (!copy.isUndecided() || leader.isClosed()) {
                return false;
            }
            leader.followedBy(copy);
            lock.changed();
            return true;
        });
    }

    /**
     * The store didn't decide; the loop asks it again. Returns false when so many messages are held already that this one had
     * better be given back.
     */
    public boolean hold(OpenMessage message) {
        return lock.get(() -> {
            long held = messages.stream().filter(OpenMessage::isHeld).count();
            message.hold(message.isHeld() || held < capacity / 2 || message.group() != null || !storeAnswers);
            return message.isHeld();
        });
    }

    /** The store doesn't answer: nothing more is received until it does. */
    public void storeFailed() {
        lock.change(() -> storeAnswers = false);
    }

    public void storeAnswers() {
        lock.change(() -> storeAnswers = true);
    }

    /** Closes a message whose effect has happened, and its copies, and returns them; nothing when it is closed already. */
    public List<OpenMessage> close(OpenMessage message) {
        return lock.get(() -> closeOne(message, true));
    }

    /**
     * Closes a message that has failed, and what must not be handled before it: what is behind it, or behind one of its copies,
     * in its message group.
     *
     * @return all that was closed; nothing when the message was closed already
     */
    public List<OpenMessage> closeFailed(OpenMessage message) {
        return lock.get(() -> closeWithBehind(message, true));
    }

    /** The same for a message with which nothing has happened; closes nothing when its handler runs. */
    public List<OpenMessage> closeUnhandled(OpenMessage message) {
        return lock.get(() -> closeWithBehind(message, false));
    }

    private List<OpenMessage> closeWithBehind(OpenMessage message, boolean evenRunning) {
        List<OpenMessage> behind = groups.behindAllOf(message);
        List<OpenMessage> closed = new ArrayList<>(closeOne(message, evenRunning));
        if (!closed.isEmpty()) {
            behind.forEach(other -> closed.addAll(closeOne(other, false)));
        }
        return closed;
    }

    /** Forgets the message and its copies, which are returned. Under the lock only. */
    private List<OpenMessage> closeOne(OpenMessage message, boolean evenRunning) {
        if (message.isClosed() || (message.isRunning() && !evenRunning)) {
            return List.of();
        }
        List<OpenMessage> all = message.withCopies();
        for (OpenMessage each : all) {
            each.close();
            messages.remove(each);
            groups.remove(each);
        }
        lock.changed();
        return all;
    }

    /** The messages whose invisible time was renewed this long ago, and whose handlers may still run. */
    public List<OpenMessage> dueForRenewal(long now, Duration interval) {
        return lock.get(() -> messages.stream()
                .filter(message -> message.received().invisibleTime().isDue(now, interval) && !message.isOverdue(now))
                .toList());
    }

    /**
     * A handler that runs for longer than it may has lost its message, which the broker gives to others; it must not hold up
     * the messages that wait for it, or for its thread.
     *
     * @return these messages, to be given back
     */
    public List<OpenMessage> heldUpByOverdue(long now) {
        return lock.get(() -> {
            List<OpenMessage> overdue = messages.stream()
                    .filter(message -> message.isOverdueLeader(now))
                    .toList();
            List<OpenMessage> back = new ArrayList<>();
            for (OpenMessage message : overdue) {
                back.addAll(groups.behindAllOf(message));
                message.withCopies().forEach(groups::remove);
            }
            stuck = overdue.size() >= concurrency;
            if (stuck) {
                messages.stream().filter(OpenMessage::isReady).forEach(back::add);
            }
            lock.changed();
            return back;
        });
    }

    public int size() {
        return lock.get(messages::size);
    }

    /** Receives no more. Returns the messages that no handler has started, to be given back. */
    public List<OpenMessage> stop() {
        return lock.get(() -> {
            stopping = true;
            lock.changed();
            return messages.stream().filter(message -> !message.isRunning()).toList();
        });
    }

    public boolean isStopping() {
        return lock.get(() -> stopping);
    }

    /** Whether the loop stops and nothing is open. */
    public boolean isOver() {
        return lock.get(() -> stopping && messages.isEmpty());
    }

    /** Waits for at most this time until the loop stops. */
    public void awaitStop(Duration longest) {
        lock.await(longest, () -> stopping);
    }

    /** Waits for at most this time until nothing is open, and returns whether that is so. */
    public boolean awaitNoneOpen(Duration longest) {
        return lock.await(longest, messages::isEmpty);
    }
}

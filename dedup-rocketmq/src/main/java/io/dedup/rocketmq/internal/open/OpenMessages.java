package io.dedup.rocketmq.internal.open;

import io.dedup.adapter.Execution;
import io.dedup.rocketmq.internal.thread.ConditionLock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/**
 * The messages that a loop has received and not yet answered. Only this class changes their states, under one lock, and
 * it calls neither the store nor the broker nor the listener. Actions that a change requires are returned to the
 * caller. Thread-safe.
 */
public final class OpenMessages {
    private static final Duration OVERDUE_CHECK = Duration.ofMillis(200);
    /**
     * After its delay, a message that isn't redelivered for so long was dead-lettered, or is with another consumer. So long before
     * the delay ends, it may be redelivered, should the clocks differ.
     */
    private static final Duration REDELIVERY = Duration.ofSeconds(30);

    private static final Duration DECISION_CHECK = Duration.ofMillis(100);

    private final ConditionLock lock = new ConditionLock();
    private final Set<OpenMessage> messages = new LinkedHashSet<>(); // compared by identity
    private final MessageGroups groups = new MessageGroups();
    /** The message groups of returned messages, and until when the broker may be about to redeliver these. */
    private final Map<String, Long> returned = new HashMap<>();

    private final int capacity;
    private final int concurrency;
    /** Ends with the receive that is under way. */
    private CompletableFuture<Void> received = CompletableFuture.completedFuture(null);

    private boolean storeAnswers = true;
    private boolean stuck; // every handler thread has an overdue handler
    private boolean stopping;

    /**
     * Creates an empty set.
     *
     * @param capacity the maximum number of open messages
     * @param concurrency the maximum number of handlers that run at the same time
     */
    public OpenMessages(int capacity, int concurrency) {
        this.capacity = capacity;
        this.concurrency = concurrency;
    }

    /**
     * Waits until more messages may be received, and returns how many; 0 when the loop stops. It is one while a returned message of
     * a message group is to be redelivered soon: what would be received together with it is behind it, and would be returned with it
     * each time, until it is dead-lettered with it without ever being handled. Before that, the broker keeps its group back.
     */
    public int awaitRoom() {
        return lock.get(() -> {
            lock.awaitUninterruptibly(() -> stopping || (storeAnswers && !stuck && messages.size() < capacity));
            if (stopping) {
                return 0;
            }
            received = new CompletableFuture<>();
            long now = System.nanoTime();
            returned.values().removeIf(until -> until - now <= 0);
            boolean due = returned.values().stream().anyMatch(until -> until - now <= 2 * REDELIVERY.toNanos());
            return due ? 1 : capacity - messages.size();
        });
    }

    /** The loop has received, or has failed to. */
    public void endReceive() {
        lock.get(() -> received).complete(null);
    }

    /**
     * Ends as soon as a message may be returned. A loop that stops, or whose handlers are all overdue, may still be receiving: it
     * would get what it returns and return it once more, which takes a delivery attempt from a message that nobody has tried to
     * handle. It receives no more after that.
     */
    public CompletableFuture<Void> received() {
        return lock.get(() -> stopping || stuck ? received : CompletableFuture.completedFuture(null));
    }

    /** These messages are being returned, and redelivered after this delay, unless they have used up their attempts. */
    public void returned(List<OpenMessage> closed, Duration delay) {
        long until = System.nanoTime() + delay.plus(REDELIVERY).toNanos();
        lock.run(() -> closed.stream()
                .map(OpenMessage::group)
                .filter(Objects::nonNull)
                .forEach(group -> returned.put(group, until)));
    }

    /**
     * Adds received messages.
     *
     * @return the messages whose turn has come, the others wait in their message groups; empty if the loop is stopping
     *     and none was added
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
     * Starts the turn of a message that waits in its message group, if it is the first; only then may it be claimed. If
     * it were claimed earlier, it would wait behind messages that may wait for that very claim. Called under the lock.
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

    /** Starts the turns of messages that waited behind these, and returns them, except those that are set apart. */
    public List<OpenMessage> startTurnsBehind(List<OpenMessage> closed) {
        return lock.get(() -> closed.stream()
                .map(groups::first)
                .filter(Objects::nonNull)
                .filter(message -> !message.isApart() && startTurn(message))
                .toList());
    }

    /**
     * Sets a batch apart whose messages are decided one by one, by a thread that calls {@link #awaitTurn} until none is left.
     *
     * @param undecided those whose turn has come already
     * @param received the batch, including messages that wait in their message groups; these are set apart if their
     *     turn hasn't come meanwhile
     * @return the messages that are set apart, in the order of the batch
     */
    public List<OpenMessage> setApart(List<OpenMessage> undecided, List<OpenMessage> received) {
        return lock.get(() -> {
            List<OpenMessage> apart = new ArrayList<>(received);
            apart.removeIf(message -> !message.isWaiting() && !undecided.contains(message));
            apart.forEach(OpenMessage::setApart);
            return apart;
        });
    }

    /**
     * Waits until one of these messages is the first of its group, whichever it is: the first of another group may wait for long.
     *
     * @param apart loses those that were returned meanwhile
     * @return empty if all were returned
     */
    public Optional<OpenMessage> awaitTurn(List<OpenMessage> apart) {
        return lock.get(() -> {
            lock.awaitUninterruptibly(() -> {
                apart.removeIf(OpenMessage::isClosed);
                return apart.isEmpty() || apart.stream().anyMatch(this::isDue);
            });
            Optional<OpenMessage> next = apart.stream().filter(this::isDue).findFirst();
            next.ifPresent(this::startTurn);
            return next;
        });
    }

    private boolean isDue(OpenMessage message) {
        return !message.isWaiting() || groups.isFirst(message);
    }

    /** Waits until the message is answered, waits for another consumer, or its handler is overdue. */
    public void awaitEnd(OpenMessage message) {
        boolean ended = false;
        while (!ended && !message.isOverdue(System.nanoTime())) {
            ended = lock.await(OVERDUE_CHECK, () -> message.isClosed() || (message.isHeld() && message.isUndecided()));
        }
    }

    /** Waits until the message is claimed or returned, or this is over. */
    public void awaitDecided(OpenMessage message, BooleanSupplier over) {
        boolean decided = false;
        while (!decided && !over.getAsBoolean()) {
            decided = lock.await(DECISION_CHECK, () -> !message.isUndecided());
        }
    }

    public boolean isUndecided(OpenMessage message) {
        return lock.get(message::isUndecided);
    }

    /** The message is claimed, and runs as soon as a thread is free. Returns false if it was returned meanwhile. */
    public boolean claimed(OpenMessage message, Execution execution) {
        return lock.get(() -> {
            boolean wanted = message.isUndecided();
            if (wanted) {
                message.claimed(execution);
            }
            return wanted;
        });
    }

    /** A thread is about to run the handler. Returns false if the message was returned meanwhile and must not run. */
    public boolean start(OpenMessage message) {
        return lock.get(() -> {
            boolean wanted = message.isReady();
            if (wanted) {
                message.starts();
            }
            return wanted;
        });
    }

    /** The handler begins in its transaction, which may have taken long to open. */
    public void begunInTransaction(OpenMessage message) {
        lock.run(message::begunInTransaction);
    }

    /**
     * The transaction didn't run the message, or was rolled back: the store or the record decides again.
     *
     * @return false if it must be returned, because its handler was overdue and its message group has continued without
     *     it
     */
    public boolean undecidedAgain(OpenMessage message) {
        return lock.get(() -> {
            message.undecidedAgain();
            return groups.holds(message);
        });
    }

    /**
     * The claim is lost: the store decides again, and a wait for the consumer that has the message now begins.
     *
     * @param hasFailed whether its handler has failed
     * @return as {@link #undecidedAgain} does
     */
    public boolean claimLost(OpenMessage message, boolean hasFailed) {
        return lock.get(() -> {
            message.claimLost(hasFailed);
            return groups.holds(message);
        });
    }

    /**
     * Makes a message the copy of another: the broker gets the same answer for both. The copy keeps its place in its
     * own message group until then. Returns false if one of them was returned meanwhile.
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
     * The message has to wait for another consumer, and the store is asked again later. Returns false if it should be returned,
     * because it has waited for longer than this, or because so many messages are held.
     */
    public boolean hold(OpenMessage message, Duration longest) {
        return lock.get(() -> {
            message.waitsForAnother();
            long held = messages.stream().filter(OpenMessage::isHeld).count();
            message.hold(message.isHeld() || held < capacity / 2 || message.group() != null || !storeAnswers);
            return message.isHeld() && message.waited().compareTo(longest) <= 0;
        });
    }

    /** The store doesn't answer for this message: nothing more is received until it does. */
    public void storeFailed(OpenMessage message) {
        lock.change(() -> {
            storeAnswers = false;
            message.waitsForStore();
        });
    }

    public boolean isStoreDown() {
        return lock.get(() -> !storeAnswers);
    }

    public void storeAnswers() {
        lock.change(() -> storeAnswers = true);
    }

    /** Closes a message whose effect has happened, and its copies, and returns them; empty if it is closed already. */
    public List<OpenMessage> close(OpenMessage message) {
        return lock.get(() -> {
            List<OpenMessage> closed = closeOne(message, true);
            closed.stream().map(OpenMessage::group).filter(Objects::nonNull).forEach(returned::remove);
            return closed;
        });
    }

    /**
     * Closes a failed message, and the messages behind it or behind one of its copies in their message groups, which
     * must not be handled before it.
     *
     * @return all closed messages; empty if the message was closed already
     */
    public List<OpenMessage> closeFailed(OpenMessage message) {
        return lock.get(() -> closeWithBehind(message, true));
    }

    /** As {@link #closeFailed}, for a message that wasn't handled; closes nothing if its handler is running. */
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

    /** Removes the message and its copies, and returns them. Called under the lock. */
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

    /** The messages whose invisible time was renewed this long ago, and whose handlers aren't overdue. */
    public List<OpenMessage> dueForRenewal(long now, Duration interval) {
        return lock.get(() -> messages.stream()
                .filter(message -> message.received().invisibleTime().isDue(now, interval) && !message.isOverdue(now))
                .toList());
    }

    /**
     * The broker redelivers the message of an overdue handler to other consumers. The handler must not hold up the
     * messages that wait for it or for its thread.
     *
     * @return these messages, which must be returned
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

    /** Stops receiving. Returns the messages whose handlers haven't started, which must be returned to the broker. */
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

    /** Waits at most this long until the loop stops. */
    public void awaitStop(Duration longest) {
        lock.await(longest, () -> stopping);
    }

    /** Waits at most this long until no message is open, and returns whether none is. */
    public boolean awaitNoneOpen(Duration longest) {
        return lock.await(longest, messages::isEmpty);
    }
}

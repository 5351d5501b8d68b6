package io.dedup.rocketmq.internal.claim;

import io.dedup.DedupOutcome.DeferReason;
import io.dedup.engine.Admission;
import io.dedup.engine.BatchAdmission;
import io.dedup.engine.ConsumerGroup;
import io.dedup.engine.DedupEngine;
import io.dedup.engine.Patience;
import io.dedup.engine.RunEnd;
import io.dedup.engine.WaitBudget;
import io.dedup.rocketmq.internal.listener.MessageDeliveries;
import io.dedup.rocketmq.internal.open.OpenMessage;
import io.dedup.rocketmq.internal.open.OpenMessages;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.rocketmq.client.java.message.MessageViewImpl;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks the store about received messages, a batch with each call, and again about those that it can't decide yet. */
public final class Decisions {
    private static final Logger log = LoggerFactory.getLogger("io.dedup.rocketmq.SimpleConsumerLoop");
    private static final Duration SOON = Duration.ofMillis(10);
    private static final Duration PING = Duration.ofMillis(500);

    private final DedupEngine engine;
    private final ConsumerGroup group;
    private final Patience patience;
    private final OpenMessages open;
    private final ScheduledExecutorService timers;
    private final ThreadFactory threads;
    private final AtomicBoolean pinging = new AtomicBoolean();

    public Decisions(
            DedupEngine engine,
            ConsumerGroup group,
            Patience patience,
            OpenMessages open,
            ScheduledExecutorService timers,
            ThreadFactory threads) {
        this.engine = engine;
        this.group = group;
        this.patience = patience;
        this.open = open;
        this.timers = timers;
        this.threads = threads;
    }

    /** Decides about those that are still to be decided about. */
    public void decide(List<OpenMessage> messages) {
        decide(messages, messages);
    }

    /**
     * Decides about messages that were received.
     *
     * @param messages whose turn it is
     * @param received these and those behind them in their message groups: after a crash they all are handled one by one
     */
    public void decide(List<OpenMessage> messages, List<OpenMessage> received) {
        try {
            List<OpenMessage> these =
                    messages.stream().filter(this::isDecidable).toList();
            if (!these.isEmpty()) {
                admit(these, received);
            }
        } catch (RuntimeException | Error e) { // or they would be kept invisible for ever
            log.error("{} messages couldn't be decided about", messages.size(), e);
            messages.stream().filter(open::isUndecided).forEach(open::failed);
        }
    }

    private boolean isDecidable(OpenMessage message) {
        if (!open.isUndecided(message)) {
            return false;
        }
        if (!group.mayRead(message.view.getTopic())) {
            open.failed(message);
            return false;
        }
        if (message.view instanceof MessageViewImpl view && view.isCorrupted()) { // the interface doesn't tell
            log.warn(
                    "Failing {}: its body doesn't match its checksum. It comes again, or goes to the dead-letter queue",
                    MessageDeliveries.origin(view));
            open.failed(message);
            return false;
        }
        return true;
    }

    private void admit(List<OpenMessage> messages, List<OpenMessage> received) {
        BatchAdmission batch = engine.admitAll(
                messages.stream().map(message -> message.delivery).toList(), WaitBudget.none());
        if (batch.isolate()) {
            // A thread apart, as it waits for each of them, and handlers' threads may all wait for it.
            threads.newThread(() -> isolate(messages, received)).start();
            return;
        }
        Retries retries = new Retries();
        for (int i = 0; i < messages.size(); i++) {
            obey(messages, i, batch.admissions().get(i), retries);
        }
        retries.schedule();
    }

    /** A claim that is forgotten here would be renewed for ever. */
    private void obey(List<OpenMessage> messages, int index, Admission admission, Retries retries) {
        OpenMessage message = messages.get(index);
        try {
            if (!(admission instanceof Admission.Follow follow)) {
                obey(message, admission, retries);
            } else if (!open.follow(message, messages.get(follow.leader()))) {
                retries.add(message, SOON);
            }
        } catch (RuntimeException | Error e) {
            log.error("{} couldn't be dealt with", MessageDeliveries.origin(message.view), e);
            if (admission instanceof Admission.Run run) {
                run.execution().giveBack();
            }
            open.failed(message);
        }
    }

    /** One of them was running when a process died. */
    private void isolate(List<OpenMessage> messages, List<OpenMessage> received) {
        List<OpenMessage> apart;
        try {
            apart = open.setApart(messages, received);
        } catch (RuntimeException | Error e) { // or they would be kept invisible for ever
            log.error("{} messages couldn't be decided about one by one", messages.size(), e);
            messages.forEach(open::failed);
            return;
        }
        admitOneByOne(apart);
    }

    private void admitOneByOne(List<OpenMessage> messages) {
        for (OpenMessage message : messages) {
            Retries retries = new Retries();
            try {
                if (!open.awaitTurn(message) || !isDecidable(message)) {
                    continue;
                }
                Admission admission = engine.admit(message.delivery, WaitBudget.none());
                obey(message, admission, retries);
                retries.schedule();
                if (admission instanceof Admission.Run) {
                    open.awaitClosed(message);
                }
            } catch (RuntimeException | Error e) {
                log.error("{} couldn't be decided about", MessageDeliveries.origin(message.view), e);
                open.failed(message);
            }
        }
    }

    /** It was admitted, but its transaction has come to nothing. */
    public void notRun(OpenMessage message, RunEnd.NotRun end) {
        boolean mayRunAgain = open.undecided(message, end.failedWithoutClaim());
        if (end.admission() instanceof Admission.Defer && (!mayRunAgain || open.isStopping())) {
            open.giveBack(message, OpenMessages.AT_ONCE); // it wasn't there to be given back with the others
            return;
        }
        Retries retries = new Retries();
        obey(message, end.admission(), retries);
        retries.schedule();
    }

    private void obey(OpenMessage message, Admission admission, Retries retries) {
        if (admission instanceof Admission.Run run) {
            if (message.lost) { // somebody else has had it and failed, too
                run.execution().giveBack();
                open.failed(message);
            } else if (!open.ready(message, run.execution())) {
                run.execution().giveBack();
            }
        } else if (admission instanceof Admission.Reject reject) {
            log.warn("A delivery fails: {}", reject.cause().getMessage());
            open.failed(message);
        } else if (admission instanceof Admission.Defer defer) {
            defer(message, defer, retries);
        } else {
            open.done(message);
        }
    }

    private void defer(OpenMessage message, Admission.Defer defer, Retries retries) {
        if (defer.reason() == DeferReason.STORE_UNAVAILABLE) {
            open.storeAnswers(false);
            ping();
        }
        Duration waited = Duration.ofNanos(System.nanoTime() - message.waitsSince);
        if (defer.reason() == DeferReason.CLOSED) {
            log.error("The deduplicator is closed, so the loop stops. Close the loop first");
            open.stop(); // or messages would come and go until they have spent their attempts
        } else if (defer.reason() == DeferReason.STORE_UNAVAILABLE) {
            retries.add(message, defer.retryAfter()); // however long: the broker can't do better than wait, either
        } else if (waited.compareTo(patience.longest(message.delivery)) > 0 || !open.hold(message)) {
            log.warn(
                    "{} couldn't be decided in {} ms ({}), and is given back, which costs a delivery attempt",
                    MessageDeliveries.origin(message.view),
                    waited.toMillis(),
                    defer.reason());
            open.giveBack(message, message.delivery.topic().policy().lease()); // an attempt for each lease, at most
        } else {
            retries.add(message, defer.retryAfter());
        }
    }

    /** Asks until the store answers; messages may be received again then. */
    private void ping() {
        if (pinging.compareAndSet(false, true)) {
            later(this::pingOnce, PING);
        }
    }

    private void pingOnce() {
        try {
            engine.ping();
        } catch (RuntimeException | Error e) {
            log.debug("the store doesn't answer", e);
            later(this::pingOnce, PING);
            return;
        }
        pinging.set(false);
        open.storeAnswers(true);
    }

    private void later(Runnable task, Duration delay) {
        try {
            var unused = timers.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS); // tasks catch what they throw
        } catch (RejectedExecutionException e) {
            log.debug("the loop is over, and nothing waits for this any more", e);
        }
    }

    /** Messages to ask about again, together, as soon as the first of them may be decided. */
    private final class Retries {
        private final List<OpenMessage> messages = new ArrayList<>();
        private Duration delay = Duration.ofDays(1);

        void add(OpenMessage message, Duration after) {
            messages.add(message);
            delay = delay.compareTo(after) < 0 ? delay : after;
        }

        void schedule() {
            if (!messages.isEmpty()) {
                later(() -> decide(messages), delay);
            }
        }
    }
}

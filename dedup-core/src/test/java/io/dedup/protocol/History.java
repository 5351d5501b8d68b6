package io.dedup.protocol;

import io.dedup.DedupOutcome.Completion;
import io.dedup.adapter.Admission;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.Execution;
import io.dedup.adapter.WaitBudget;
import io.dedup.protocol.Gateway.Fault;
import io.dedup.step.LeaseLostException;
import io.dedup.store.Claim;
import io.dedup.store.ReleaseMode;
import io.dedup.store.ReleaseRequest;
import io.dedup.store.RenewRequest;
import io.dedup.store.memory.InMemoryDedupStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One random history: processes that share a store and a broker, and everything that can go wrong with them. */
final class History {
    private static final int STEPS = 50;
    private static final int MAX_DRAIN = 400;
    private static final int MAX_WINDOWS = 3;

    private final List<Node> nodes;
    private final String topic;
    private final Bug bug;
    private final Random random;
    private final Book book;
    private final Effects effects;
    private final Effects steps;
    private final Broker broker;
    private final List<Run> runs = new ArrayList<>();
    private final List<Run> pending = new ArrayList<>(); // succeeded, and DONE only once the store could be told
    private final List<String> log = new ArrayList<>();
    private Instant now = Instant.parse("2026-03-01T08:30:00Z");
    private int windows;
    private int depth;
    private boolean calm;

    History(List<Node> nodes, Bug bug, long seed) {
        this.nodes = nodes;
        this.topic = nodes.get(0).nextTopic();
        this.bug = bug;
        this.random = new Random(seed);
        InMemoryDedupStore real = new InMemoryDedupStore(() -> now, Duration.ofDays(7));
        this.book = new Book(real, bug.isOfStore() ? BuggyStore.of(real, bug, this::meanwhile) : real, () -> now);
        this.effects = new Effects(book);
        this.steps = new Effects(book);
        this.broker = new Broker(random, book, effects);
        nodes.forEach(node -> node.gateway.connect(book));
        for (String id : List.of("a", "b")) {
            send(id);
            send(id);
        }
    }

    /** What broke a rule, or null. */
    @Nullable
    String run() {
        try {
            for (int i = 0; i < STEPS && book.violation() == null; i++) {
                step();
            }
            drain();
            return book.violation();
        } finally {
            nodes.forEach(this::crash); // leaves nothing to do for the engines
        }
    }

    String log() {
        return String.join("\n", log);
    }

    private void step() {
        int dice = random.nextInt(100);
        Node node = nodes.get(random.nextInt(nodes.size()));
        if (dice < 25) {
            deliver(node, 1);
        } else if (dice < 32) {
            deliver(node, 2 + random.nextInt(2));
        } else if (dice < 38) {
            with(this::effect);
        } else if (dice < 44) {
            with(this::namedStep);
        } else if (dice < 60) {
            with(this::finish);
        } else if (dice < 66) {
            with(this::fail);
        } else if (dice < 70) {
            with(this::giveBack);
        } else if (dice < 76) {
            renew(node);
        } else if (dice < 84) {
            advance(Node.LEASE.dividedBy(4).multipliedBy(1 + random.nextInt(5)));
        } else if (dice < 88) {
            crash(node);
            node.restart();
        } else if (dice < 92) {
            broker.redeliver();
        } else if (dice < 96) {
            log.add(node + " tells the store what it couldn't");
            node.gateway.passBackground();
        } else if (dice < 98) {
            send(random.nextBoolean() ? "a" : "b");
        } else if (windows < MAX_WINDOWS && isQuiet()) {
            windows++;
            advance(Node.WINDOW);
            nodes.forEach(Node::restart); // their clocks haven't moved
            effects.windowsOver();
            steps.windowsOver();
        }
    }

    /** Between the two steps of a store that has two. */
    private void meanwhile() {
        if (depth == 0 && random.nextBoolean()) {
            depth++;
            deliver(nodes.get(random.nextInt(nodes.size())), 1);
            depth--;
        }
    }

    private void with(Consumer<Run> what) {
        if (!runs.isEmpty()) {
            what.accept(runs.get(random.nextInt(runs.size())));
        }
    }

    private void send(String id) {
        log.add("sent " + broker.send(nodes.get(0).dedup.key(topic, id)));
    }

    private Fault fault(Node node) {
        return calm || depth > 0 ? Fault.NONE : node.gateway.failNext(random);
    }

    private void deliver(Node node, int most) {
        List<Copy> batch = broker.deliver(node, most);
        if (batch.isEmpty()) {
            return;
        }
        Fault fault = fault(node);
        List<Delivery> deliveries = batch.stream()
                .map(copy -> new Delivery(node.dedup.topic(topic), copy.key, null, null, copy::toString))
                .toList();
        List<Admission> admissions = most == 1
                ? List.of(DedupAdapter.of(node.dedup).admit(deliveries.get(0), WaitBudget.none()))
                : DedupAdapter.of(node.dedup)
                        .admitAll(deliveries, WaitBudget.none())
                        .admissions();
        List<@Nullable Run> leaders = new ArrayList<>();
        for (int i = 0; i < batch.size(); i++) {
            log.add(node + " gets " + batch.get(i) + " (" + fault + "): "
                    + admissions.get(i).getClass().getSimpleName());
            leaders.add(admitted(node, batch.get(i), admissions.get(i), leaders));
        }
    }

    private @Nullable Run admitted(Node node, Copy copy, Admission admission, List<@Nullable Run> leaders) {
        if (admission instanceof Admission.Run run) {
            return started(node, copy, run.execution());
        }
        if (admission instanceof Admission.Duplicate) {
            book.require(
                    book.isDone(copy.key) || node.handled.contains(copy.key), "a duplicate of what isn't done", copy);
            broker.ack(copy);
        } else if (admission instanceof Admission.Follow follow) {
            Run leader = Objects.requireNonNull(leaders.get(follow.leader()), "a leader that doesn't run");
            leader.copies.add(copy);
            if (bug == Bug.FOLLOWER_ACKED_AT_ONCE) {
                broker.ack(copy);
            }
        } else if (admission instanceof Admission.Defer) {
            if (bug == Bug.ACK_IN_FLIGHT) {
                broker.ack(copy);
            } else if (bug == Bug.RUN_WITHOUT_CLAIM) {
                effects.happen(copy.key, 1);
                broker.ack(copy);
            } else {
                broker.back(copy);
            }
        } else {
            book.violated("neither run, duplicate nor deferred: " + admission);
        }
        return null;
    }

    private Run started(Node node, Copy copy, Execution execution) {
        Claim claim = Objects.requireNonNull(node.gateway.claim(copy.key), "a run without a claim");
        book.require(!node.handled.contains(copy.key), "runs again what its process has handled", copy);
        execution.begin();
        Run run = new Run(node, new ArrayList<>(List.of(copy)), execution, claim);
        runs.add(run);
        if (bug == Bug.ACK_BEFORE_EFFECT) {
            broker.ack(copy);
        }
        return run;
    }

    private void effect(Run run) {
        if (!run.effected) {
            log.add(run.node + " does " + run.copies.get(0) + ", attempt " + run.execution.attempt());
            effects.happen(run.claim);
            run.effected = true;
        }
    }

    /** The handler's only named step. A claim that is known to be lost ends the handler. */
    private void namedStep(Run run) {
        if (run.stepped) {
            return;
        }
        Claim claim = run.claim;
        Fault fault = fault(run.node);
        String outcome = "kept before";
        boolean[] ran = {false};
        try {
            run.execution.step("mail", () -> {
                ran[0] = true;
                if (!book.isHeld(claim)) {
                    steps.excuse(claim.key()); // the step that a paused process is in
                }
                steps.happenAsStep(claim);
            });
            run.stepped = true;
            if (ran[0]) {
                outcome = book.hasSteps(claim.key()) ? "kept" : "not kept";
                if (!book.hasSteps(claim.key())) {
                    steps.excuse(claim.key());
                }
            }
        } catch (LeaseLostException e) {
            outcome = "lost";
            fail(run);
        }
        log.add(run.node + " runs the step of " + run.copies.get(0) + " (" + fault + "): " + outcome);
    }

    private void finish(Run run) {
        if (random.nextBoolean()) {
            namedStep(run);
            if (!runs.contains(run)) {
                return;
            }
        }
        effect(run);
        runs.remove(run);
        effects.excuseUnlessHeld(run.claim); // somebody may have taken over
        Fault fault = fault(run.node);
        Completion completion = run.execution.succeed(null, WaitBudget.none());
        run.node.handled.add(run.claim.key());
        log.add(run.node + " finishes " + run.copies + " (" + fault + "): " + completion);
        book.require(
                completion != Completion.DONE || book.isDone(run.claim.key()), "done, but isn't", run.copies.get(0));
        if (completion == Completion.PENDING && bug == Bug.RELEASE_AFTER_SUCCESS) {
            var unused = book.release(new ReleaseRequest(run.claim, ReleaseMode.STARTED));
            run.copies.forEach(broker::back);
            return;
        }
        if (completion == Completion.PENDING && !book.isDone(run.claim.key())) {
            pending.add(run);
        }
        run.copies.forEach(broker::ack); // the effect has happened
    }

    private void fail(Run run) {
        runs.remove(run);
        if (run.effected) {
            effects.excuse(run.claim.key()); // a handler that fails after its effect asks for it
        }
        Fault fault = fault(run.node);
        boolean lost = run.execution.fail(new IllegalStateException("handler"));
        log.add(run.node + " fails " + run.copies + " (" + fault + ")" + (lost ? ", lost before" : ""));
        run.copies.forEach(bug == Bug.ACK_ON_FAILURE ? broker::ack : broker::back);
    }

    private void giveBack(Run run) {
        if (!run.effected && !run.stepped) {
            runs.remove(run);
            Fault fault = fault(run.node);
            run.execution.giveBack();
            log.add(run.node + " gives back " + run.copies + " (" + fault + ")");
            run.copies.forEach(broker::back);
        }
    }

    /** The heartbeat's call, when the history wants it. */
    private void renew(Node node) {
        for (Claim claim : node.gateway.claims()) {
            var unused = node.gateway
                    .renew(List.of(new RenewRequest(claim, Node.LEASE)))
                    .get(0);
        }
    }

    private void advance(Duration by) {
        log.add("time moves on by " + by);
        now = now.plus(by);
        Stream.concat(pending.stream(), runs.stream().filter(run -> run.effected))
                .forEach(run -> effects.excuseUnlessHeld(run.claim));
    }

    private void crash(Node node) {
        log.add(node + " dies");
        List<Run> dead = runs.stream().filter(run -> run.node == node).toList();
        dead.forEach(run -> run.execution.abandon());
        runs.removeAll(dead);
        Stream.concat(pending.stream(), dead.stream())
                .filter(run -> run.node == node && run.effected)
                .forEach(run -> effects.excuse(run.claim.key()));
        node.crash();
        broker.lose(node);
    }

    /** All goes well from now on: everything has to come to an end. */
    private void drain() {
        calm = true;
        for (int i = 0; i < MAX_DRAIN && book.violation() == null && !isOver(); i++) {
            nodes.forEach(node -> node.gateway.passBackground());
            deliver(nodes.get(i % nodes.size()), 1);
            with(this::finish);
            if (i % 20 == 19) {
                advance(Node.LEASE); // of claims that nobody has any more
            }
        }
        if (book.violation() == null && !isOver()) {
            book.violated("stuck: " + broker.unacked());
        }
    }

    private boolean isOver() {
        return isQuiet() && broker.unacked().isEmpty();
    }

    private boolean isQuiet() {
        return runs.isEmpty() && nodes.stream().noneMatch(node -> node.gateway.hasBackgroundWork());
    }
}

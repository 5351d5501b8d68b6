package io.dedup.benchmarks;

import io.dedup.benchmarks.measure.Outcome;
import io.dedup.benchmarks.measure.PairedRun;
import io.dedup.benchmarks.measure.Sample;
import io.dedup.benchmarks.measure.Spread;
import io.dedup.benchmarks.network.Network;
import io.dedup.benchmarks.subject.ContenderNames;
import io.dedup.benchmarks.subject.ServerCost;
import io.dedup.benchmarks.subject.Subject;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Claim and complete of each store, beside the bare driver. */
final class StoresSection {
    private static final double SINGLE_TARGET = 0.85;
    private static final double REDIS_BATCH_TARGET = 15;
    private static final double POSTGRES_BATCH_TARGET = 20;
    private static final double SERVER_NANOS_TARGET = 5_000;
    private static final double ENGINE_NANOS_TARGET = 3_000;
    private static final double ENGINE_BYTES_TARGET = 1_024;

    private final List<List<String>> rows = new ArrayList<>();
    private final List<List<String>> byHand = new ArrayList<>();
    private final List<List<String>> costs = new ArrayList<>();
    private final List<List<String>> factors = new ArrayList<>();
    private final List<List<String>> engine = new ArrayList<>();
    private final Report report;
    private final Targets targets;

    StoresSection(Report report, Targets targets) {
        this.report = report;
        this.targets = targets;
    }

    void run(List<String> stores, List<Network> networks, PairedRun run) throws InterruptedException {
        for (Network network : networks) {
            run(stores, network, run);
        }
        print();
    }

    private void run(List<String> stores, Network network, PairedRun run) throws InterruptedException {
        for (String store : stores) {
            Optional<Subject> found = Subjects.start(store, network);
            if (found.isEmpty() && !network.isLoopback()) {
                continue;
            }
            if (found.isEmpty()) {
                report.progress(store + " isn't on this machine");
                rows.add(List.of(store, "not on this machine", "", "", "", "", "", "", ""));
                continue;
            }
            try (Subject subject = found.get()) {
                Outcome outcome = run.run(
                        subject.contenders(),
                        () -> {
                            subject.reset();
                            System.gc();
                        },
                        line -> report.progress(subject.name() + ": " + line),
                        subject::serverNanos);
                add(store, subject.name(), outcome);
                if (network.isLoopback()) {
                    subject.serverCosts(run.rounds()).forEach(cost -> addCost(subject.name(), cost));
                }
            }
        }
    }

    private void add(String store, String name, Outcome outcome) {
        compare(name, outcome, ContenderNames.DEDUP, ContenderNames.BARE);
        compare(name, outcome, ContenderNames.DEDUP_UNFENCED, ContenderNames.BARE_UNFENCED);
        for (String who : List.of(ContenderNames.BY_HAND, ContenderNames.BY_HAND_FENCED)) {
            ContenderNames.FORMS.forEach(form -> compareByHand(name, outcome, who, form));
        }
        String batch = ContenderNames.of(ContenderNames.DEDUP, ContenderNames.batch(500));
        String single = ContenderNames.of(ContenderNames.DEDUP, ContenderNames.SINGLE);
        String naive = ContenderNames.of(ContenderNames.NAIVE, ContenderNames.SINGLE);
        if (outcome.has(naive)) {
            factor(name, outcome, batch, naive);
            factor(name, outcome, ContenderNames.of(ContenderNames.NAIVE, ContenderNames.batch(500)), naive);
            factor(name, outcome, single, naive);
            targets.atLeast(
                    "batch of 500 / naive single",
                    name,
                    REDIS_BATCH_TARGET,
                    outcome.ratio(batch, naive).median());
        }
        factor(name, outcome, batch, single);
        for (String form : ContenderNames.FORMS) {
            String unfenced = ContenderNames.of(ContenderNames.DEDUP_UNFENCED, form);
            if (outcome.has(unfenced)) {
                factor(name, outcome, unfenced, ContenderNames.of(ContenderNames.DEDUP, form));
                factor(
                        name,
                        outcome,
                        ContenderNames.of(ContenderNames.BARE_UNFENCED, form),
                        ContenderNames.of(ContenderNames.BARE, form));
            }
        }
        if (store.equals("postgresql")) {
            targets.atLeast(
                    "batch of 500 / single",
                    name,
                    POSTGRES_BATCH_TARGET,
                    outcome.ratio(batch, single).median());
        }
        if (store.equals("memory")) {
            for (String form : ContenderNames.FORMS) {
                engine(outcome, form);
            }
        }
    }

    private void compare(String name, Outcome outcome, String dedup, String bare) {
        for (String form : ContenderNames.FORMS) {
            String mine = ContenderNames.of(dedup, form);
            String theirs = ContenderNames.of(bare, form);
            if (!outcome.has(mine)) {
                continue;
            }
            String suffix = dedup.equals(ContenderNames.DEDUP) ? "" : ", no token";
            rows.add(List.of(
                    name,
                    form + suffix,
                    outcome.ratio(mine, theirs).ratio(),
                    outcome.of(mine, Sample::messagesPerSecond).whole(),
                    outcome.of(theirs, Sample::messagesPerSecond).whole(),
                    outcome.of(mine, Sample::cpuNanosPerMessage).thousands(),
                    outcome.of(theirs, Sample::cpuNanosPerMessage).thousands(),
                    outcome.of(mine, Sample::bytesPerMessage).whole(),
                    outcome.of(theirs, Sample::bytesPerMessage).whole()));
            if (form.startsWith("single") && !name.startsWith("memory")) {
                targets.atLeast(
                        form + suffix + " / bare driver",
                        name,
                        SINGLE_TARGET,
                        outcome.ratio(mine, theirs).median());
            }
        }
    }

    private void compareByHand(String name, Outcome outcome, String who, String form) {
        String mine = ContenderNames.of(ContenderNames.DEDUP, form);
        String theirs = ContenderNames.of(who, form);
        if (outcome.has(theirs)) {
            byHand.add(List.of(
                    name,
                    form,
                    who,
                    outcome.ratio(mine, theirs).ratio(),
                    outcome.of(mine, Sample::messagesPerSecond).whole(),
                    outcome.of(theirs, Sample::messagesPerSecond).whole(),
                    outcome.of(mine, Sample::cpuNanosPerMessage).thousands(),
                    outcome.of(theirs, Sample::cpuNanosPerMessage).thousands(),
                    server(outcome, mine),
                    server(outcome, theirs)));
            if (who.equals(ContenderNames.BY_HAND)
                    && form.equals(ContenderNames.batch(500))
                    && !server(outcome, mine).isEmpty()) {
                targets.atMost(
                        "server, ns a message, " + form,
                        name,
                        SERVER_NANOS_TARGET,
                        outcome.of(mine, Sample::serverNanosPerMessage).median());
            }
        }
    }

    private void addCost(String name, ServerCost cost) {
        costs.add(List.of(
                name,
                cost.form(),
                cost.messages(),
                cost.who(),
                cost.cpuNanos().thousands(),
                cost.logBytes().whole(),
                cost.replacedRows().tenths(),
                cost.deadRows().tenths()));
    }

    /** Empty if the server cannot be asked. */
    private static String server(Outcome outcome, String contender) {
        Spread nanos = outcome.of(contender, Sample::serverNanosPerMessage);
        return nanos.max() > 0 ? nanos.thousands() : "";
    }

    private void factor(String name, Outcome outcome, String mine, String theirs) {
        factors.add(List.of(name, mine, theirs, outcome.ratio(mine, theirs).ratio()));
    }

    private void engine(Outcome outcome, String form) {
        String mine = ContenderNames.of(ContenderNames.DEDUP, form);
        String theirs = ContenderNames.of(ContenderNames.BARE, form);
        Spread nanos = outcome.difference(mine, theirs, Sample::nanosPerMessage);
        Spread cpu = outcome.difference(mine, theirs, Sample::cpuNanosPerMessage);
        Spread bytes = outcome.difference(mine, theirs, Sample::bytesPerMessage);
        engine.add(List.of(form, nanos.whole(), cpu.whole(), bytes.whole()));
        // Compares processor time, which doesn't depend on what else runs on the machine.
        targets.atMost("engine, ns a message, " + form, "memory", ENGINE_NANOS_TARGET, cpu.median());
        targets.atMost("engine, bytes a message, " + form, "memory", ENGINE_BYTES_TARGET, bytes.median());
    }

    private void print() {
        report.heading("Claim and complete");
        report.table(
                List.of(
                        "store",
                        "form",
                        "ratio",
                        "dedup, messages/s",
                        "bare driver, messages/s",
                        "dedup, CPU µs/message",
                        "bare driver, CPU µs/message",
                        "dedup, bytes/message",
                        "bare driver, bytes/message"),
                rows);
        if (!byHand.isEmpty()) {
            report.heading("Claim and complete, beside what an expert writes");
            report.table(
                    List.of(
                            "store",
                            "form",
                            "beside",
                            "ratio",
                            "dedup, messages/s",
                            "by hand, messages/s",
                            "dedup, CPU µs/message",
                            "by hand, CPU µs/message",
                            "dedup, server µs/message",
                            "by hand, server µs/message"),
                    byHand);
        }
        if (!costs.isEmpty()) {
            report.heading("What a message costs the server");
            report.table(
                    List.of(
                            "store",
                            "form",
                            "messages",
                            "by",
                            "server's CPU µs/message",
                            "log bytes/message",
                            "replaced rows/message",
                            "left to vacuum"),
                    costs);
        }
        report.heading("Factors");
        report.table(List.of("store", "this", "against", "times as many messages/s"), factors);
        if (!engine.isEmpty()) {
            report.heading("The engine alone: in-memory store behind the engine, less the same calls without it");
            report.table(List.of("form", "ns/message", "CPU ns/message", "bytes/message"), engine);
        }
    }
}

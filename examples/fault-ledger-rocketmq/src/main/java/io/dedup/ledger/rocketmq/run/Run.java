package io.dedup.ledger.rocketmq.run;

import io.dedup.ledger.plan.RunSize;
import io.dedup.ledger.rocketmq.consumer.Assignment;
import io.dedup.ledger.rocketmq.consumer.ConsumerMain;
import io.dedup.ledger.rocketmq.plan.Circumstances;
import io.dedup.ledger.rocketmq.plan.FaultKind;
import io.dedup.ledger.rocketmq.plan.FaultPlan;
import io.dedup.ledger.rocketmq.plan.RocketRow;
import io.dedup.ledger.rocketmq.plan.Settings;
import io.dedup.ledger.rocketmq.plan.Traffic;
import io.dedup.ledger.run.ConsumerProcesses;
import io.dedup.ledger.run.EffectCounter;
import io.dedup.ledger.tally.Effect;
import io.dedup.ledger.tally.RowResult;
import io.dedup.ledger.tally.Tally;
import io.dedup.testservers.rocketmq.RocketMqServer.TopicType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.rocketmq.client.apis.ClientException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One pass of a plan over some rows at once: the same messages, the same faults, the same consumer processes. */
public final class Run {
    private static final Logger log = LoggerFactory.getLogger(Run.class);
    private static final Duration QUIET = Duration.ofSeconds(2);
    private static final Duration RETRY = Duration.ofMillis(100);

    private final Servers servers;
    private final List<RocketRow> rows;
    private final RunSize size;
    private final Duration bound;
    private final Duration calm;
    private final Path logs;
    private final String id = "run" + UUID.randomUUID().toString().substring(0, 8);

    public Run(Servers servers, List<RocketRow> rows, Settings settings) {
        this.servers = servers;
        this.rows = List.copyOf(rows);
        this.size = settings.size();
        this.bound = settings.bound();
        this.calm = settings.calm();
        this.logs = settings.directory().toAbsolutePath().resolve("logs");
    }

    public List<RowResult> results() throws IOException, InterruptedException, ExecutionException, ClientException {
        Files.createDirectories(logs);
        Tables tables = new Tables(servers);
        rows.forEach(tables::create);
        rows.forEach(this::createTopic);
        try (EffectCounter effects = new EffectCounter();
                EffectCounter acknowledgments = new EffectCounter();
                Proxies proxies = new Proxies(servers, rows, size.seed());
                Sender sender = new Sender(servers.broker().endpoints(), id, rows);
                ConsumerProcesses consumers = consumers(new Assignment(
                        id,
                        size.seed(),
                        proxies.endpoints(),
                        servers.broker().nameServerAddress(),
                        effects.port(),
                        acknowledgments.port(),
                        servers.database().user(),
                        servers.database().password(),
                        proxies.places()))) {
            List<FaultPlan.Fault> faults = FaultPlan.of(size);
            Traffic traffic = new Traffic(size.messages(), faults, size.seed());
            FaultInjector injector = new FaultInjector(servers, proxies, tables, consumers, rows);
            consumers.start();
            go(traffic, faults, sender, injector, consumers);
            awaitSettled(sender, acknowledgments, consumers);
            awaitQuiet(effects, tables);
            List<RowResult> results = new ArrayList<>();
            for (RocketRow row : rows) {
                results.add(new Tally(
                                row, Circumstances.of(size.seed(), row).text(row), injector.losses(), sender::firstSent)
                        .of(
                                size,
                                traffic.messages(),
                                effects(row, effects, tables),
                                Set.copyOf(waiting(row, sender, acknowledgments).values()),
                                letters(row),
                                proxies.roundTrips(row)));
            }
            return results;
        }
    }

    private ConsumerProcesses consumers(Assignment assignment) {
        return new ConsumerProcesses(
                which -> List.of(
                        "-Xmx512m",
                        "-Drocketmq.log.root=" + logs,
                        "-Drocketmq.log.level=off", // without a broker they write megabytes
                        // The older client looks for its queues every 20 s by default, and after a minute for those of
                        // a dead one.
                        "-Drocketmq.client.rebalance.waitInterval=1000",
                        "-Drocketmq.client.rebalance.lockInterval=1000",
                        "-Drocketmq.client.rebalance.lockMaxLiveTime=3000",
                        ConsumerMain.class.getName(),
                        assignment.argument()),
                FaultPlan.CONSUMERS,
                logs);
    }

    private void createTopic(RocketRow row) {
        Circumstances circumstances = Circumstances.of(size.seed(), row);
        servers.broker()
                .createTopic(
                        Assignment.topic(id, row),
                        row.client().lanes() ? TopicType.FIFO : TopicType.NORMAL,
                        circumstances.queues());
        servers.broker()
                .createGroup(Assignment.group(id, row), circumstances.fifoGroup(), Assignment.MAX_RETRIES, RETRY);
    }

    private void go(
            Traffic traffic,
            List<FaultPlan.Fault> faults,
            Sender sender,
            FaultInjector injector,
            ConsumerProcesses consumers)
            throws InterruptedException, ExecutionException {
        for (int i = 0; i < faults.size(); i++) {
            FaultPlan.Fault fault = faults.get(i);
            if (Set.of(FaultKind.KILL, FaultKind.PAUSE, FaultKind.DEPLOY).contains(fault.kind())) {
                consumers.awaitReady(fault.victim());
            }
            log.info("fault {} of {}: {}", i + 1, faults.size(), fault);
            List<Traffic.Send> chunk = traffic.chunks().get(i);
            FutureTask<Boolean> sending = new FutureTask<>(() -> {
                sender.send(chunk);
                return true;
            });
            new Thread(sending, "sender").start();
            injector.carryOut(fault);
            sending.get();
            consumers.revive();
            TimeUnit.NANOSECONDS.sleep(calm.toNanos());
        }
        sender.send(traffic.chunks().get(faults.size()));
    }

    /** Copies that the broker has, and no consumer has acknowledged. */
    private static Map<String, String> waiting(RocketRow row, Sender sender, EffectCounter acknowledgments) {
        Set<String> acknowledged = new HashSet<>();
        acknowledgments.of(row).forEach(one -> acknowledged.add(one.id()));
        return sender.copies(row).entrySet().stream()
                .filter(copy -> !acknowledged.contains(copy.getKey()))
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    private void awaitSettled(Sender sender, EffectCounter acknowledgments, ConsumerProcesses consumers)
            throws InterruptedException {
        long until = System.nanoTime() + bound.toNanos();
        int before = -1;
        List<RocketRow> left = new ArrayList<>(rows);
        while (System.nanoTime() - until < 0) {
            left.removeIf(row -> {
                Set<String> ids =
                        Set.copyOf(waiting(row, sender, acknowledgments).values());
                return ids.isEmpty() || letters(row).containsAll(ids);
            });
            if (left.isEmpty()) {
                return;
            }
            int now = left.stream()
                    .mapToInt(row -> waiting(row, sender, acknowledgments).size())
                    .sum();
            if (now != before) { // on a busy machine, slow messages aren't stuck
                before = now;
                until = System.nanoTime() + bound.toNanos();
            }
            consumers.revive();
            TimeUnit.SECONDS.sleep(1);
        }
        for (RocketRow row : left) {
            log.warn(
                    "nothing has moved for {} s: {} {}",
                    bound.toSeconds(),
                    row.id(),
                    waiting(row, sender, acknowledgments));
        }
        consumers.dump();
    }

    private Set<String> letters(RocketRow row) {
        return Set.copyOf(servers.broker().deadLetters(Assignment.group(id, row), "id"));
    }

    /** A run that was overtaken may not have ended yet. */
    private void awaitQuiet(EffectCounter effects, Tables tables) throws InterruptedException {
        int before = -1;
        int now;
        while ((now = rows.stream()
                        .mapToInt(row -> effects(row, effects, tables).size())
                        .sum())
                != before) {
            before = now;
            TimeUnit.NANOSECONDS.sleep(QUIET.toNanos());
        }
    }

    private static List<Effect> effects(RocketRow row, EffectCounter effects, Tables tables) {
        return row.mode().isTransactional() ? tables.effects(row) : effects.of(row);
    }
}

package io.dedup.ledger.run;

import io.dedup.ledger.consumer.Assignment;
import io.dedup.ledger.plan.Circumstance;
import io.dedup.ledger.plan.FaultKind;
import io.dedup.ledger.plan.FaultPlan;
import io.dedup.ledger.plan.Pass;
import io.dedup.ledger.plan.Row;
import io.dedup.ledger.plan.RunSize;
import io.dedup.ledger.plan.Settings;
import io.dedup.ledger.plan.Traffic;
import io.dedup.ledger.tally.Effect;
import io.dedup.ledger.tally.RowResult;
import io.dedup.ledger.tally.Tally;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One pass of a plan over some rows at once: the same messages, the same faults, the same consumer processes. */
public final class Run {
    private static final Logger log = LoggerFactory.getLogger(Run.class);
    private static final Duration QUIET = Duration.ofSeconds(2);
    /** Messages that each process rejects, until it waits for one with an ID. */
    private static final int REJECTED_AT_MOST = 9;

    private final Servers servers;
    private final Pass pass;
    private final List<Row> rows;
    private final RunSize size;
    private final Duration bound;
    private final Duration calm;
    private final Path logs;
    private int startsWithoutIds;
    private long idsCame;
    private final String id = "run" + UUID.randomUUID().toString().substring(0, 8);

    public Run(Servers servers, Pass pass, Settings settings) {
        this.servers = servers;
        this.pass = pass;
        this.rows = pass.rows();
        this.size = pass.size();
        this.bound = settings.bound();
        this.calm = settings.calm();
        this.logs = settings.directory().resolve("logs");
    }

    public List<RowResult> results() throws IOException, InterruptedException, ExecutionException {
        Files.createDirectories(logs);
        servers.renew();
        String bootstrap = servers.kafka().bootstrapServers();
        Tables tables = new Tables(servers);
        rows.forEach(tables::create);
        try (Topics topics = new Topics(bootstrap, id, pass);
                EffectCounter effects = new EffectCounter();
                StoreProxies proxies = new StoreProxies(servers, pass);
                KafkaConsumers consumers = new KafkaConsumers(
                        (process, skew, idsAreThere) -> new Assignment(
                                bootstrap,
                                id,
                                process,
                                effects.port(),
                                skew,
                                idsAreThere,
                                servers.database().user(),
                                servers.database().password(),
                                proxies.places()),
                        logs,
                        size.seed());
                Sender sender = new Sender(bootstrap, id, pass)) {
            topics.create();
            List<FaultPlan.Fault> faults = FaultPlan.of(size);
            Traffic traffic = new Traffic(size.messages(), faults, size.seed(), pass.partitions());
            FaultInjector injector = new FaultInjector(servers, proxies, tables, consumers, id, pass);
            consumers.processes().start();
            go(traffic, faults, tables, sender, injector, consumers, topics);
            awaitConsumed(rows, topics, consumers);
            awaitQuiet(effects, tables, topics);
            List<RowResult> results = new ArrayList<>();
            for (Row row : rows) {
                Set<String> waiting = new HashSet<>(Tally.unacknowledged(sender.copies(row), topics.committed(row)));
                waiting.addAll(topics.waitingForRetry(row));
                List<Effect> counted = effects(row, effects, tables, topics);
                Set<String> dead = topics.deadLetters(row);
                results.add(new Tally(row, pass.of(row).text(), injector.losses(), sender::firstSent)
                        .of(
                                size,
                                pass.of(row).has(Circumstance.IDS_COME_LATE)
                                        ? Tally.withoutRejected(
                                                traffic.messages(),
                                                counted,
                                                dead,
                                                id -> sender.firstSent(id) <= idsCame,
                                                REJECTED_AT_MOST * startsWithoutIds)
                                        : traffic.messages(),
                                counted,
                                waiting,
                                dead,
                                proxies.roundTrips(row)));
            }
            consumers.close();
            topics.delete();
            return results;
        }
    }

    private void go(
            Traffic traffic,
            List<FaultPlan.Fault> faults,
            Tables tables,
            Sender sender,
            FaultInjector injector,
            KafkaConsumers consumers,
            Topics topics)
            throws InterruptedException, ExecutionException {
        for (int i = 0; i < faults.size(); i++) {
            FaultPlan.Fault fault = faults.get(i);
            if (fault.kind() == FaultKind.KILL || fault.kind() == FaultKind.PAUSE) {
                consumers.processes().awaitReady(fault.victim());
            }
            log.info("fault {} of {}: {}", i + 1, faults.size(), fault);
            int chunk = i;
            tables.prepare(rows, traffic.begunWith(i));
            FutureTask<Boolean> sending = new FutureTask<>(() -> {
                sender.send(traffic.chunks().get(chunk));
                return true;
            });
            new Thread(sending, "sender").start();
            injector.carryOut(fault);
            sending.get();
            consumers.processes().revive();
            TimeUnit.NANOSECONDS.sleep(calm.toNanos());
            if (i == 0) {
                startsWithoutIds = consumers.idsCome();
                idsCame = System.currentTimeMillis();
            }
            if (i == faults.size() / 2) {
                recreate(topics, sender, injector, consumers);
            }
        }
        injector.end();
        sender.send(traffic.chunks().get(faults.size()));
    }

    /** When everything in these topics is consumed: what isn't, would be lost with the topic. */
    private void recreate(Topics topics, Sender sender, FaultInjector injector, KafkaConsumers consumers)
            throws InterruptedException, ExecutionException {
        List<Row> recreated = rows.stream()
                .filter(row -> pass.of(row).has(Circumstance.RECREATED))
                .toList();
        if (recreated.isEmpty()) {
            return;
        }
        injector.end();
        awaitConsumed(recreated, topics, consumers);
        consumers.restart(() -> {
            for (Row row : recreated) {
                if (topics.isConsumed(row)) { // otherwise something is stuck, and is counted at the end
                    topics.recreate(row);
                    sender.forget(row);
                }
            }
        });
    }

    /** As long as messages are being acknowledged: on a busy machine, a slow message isn't stuck. */
    private void awaitConsumed(List<Row> awaited, Topics topics, KafkaConsumers consumers)
            throws InterruptedException, ExecutionException {
        long until = System.nanoTime() + bound.toNanos();
        long acknowledged = 0;
        List<Row> left = new ArrayList<>(awaited);
        while (System.nanoTime() - until < 0) {
            long before = acknowledged;
            acknowledged = 0;
            for (Row row : awaited) {
                acknowledged += Arrays.stream(topics.committed(row)).sum();
            }
            if (acknowledged > before) {
                until = System.nanoTime() + bound.toNanos();
            }
            for (Row row : List.copyOf(left)) {
                if (topics.isConsumed(row)) {
                    left.remove(row);
                }
            }
            if (left.isEmpty()) {
                return;
            }
            consumers.processes().revive();
            TimeUnit.MILLISECONDS.sleep(200);
        }
        log.warn("nothing was acknowledged within {} s: {}", bound.toSeconds(), left);
        consumers.processes().dump();
    }

    /** A consumer that has lost its partition may still be running its handler. */
    private void awaitQuiet(EffectCounter effects, Tables tables, Topics topics) throws InterruptedException {
        int before = -1;
        int now;
        while ((now = rows.stream()
                        .mapToInt(row -> effects(row, effects, tables, topics).size())
                        .sum())
                != before) {
            before = now;
            TimeUnit.NANOSECONDS.sleep(QUIET.toNanos());
        }
    }

    private List<Effect> effects(Row row, EffectCounter effects, Tables tables, Topics topics) {
        if (pass.of(row).shape().isInKafkaTransaction()) {
            return topics.outputs(row);
        }
        return row.effect() == Row.Effect.ROW ? tables.effects(row) : effects.of(row);
    }
}

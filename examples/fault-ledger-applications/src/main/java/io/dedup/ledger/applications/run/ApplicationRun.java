package io.dedup.ledger.applications.run;

import io.dedup.ledger.applications.consumer.ApplicationMain;
import io.dedup.ledger.applications.plan.ApplicationRow;
import io.dedup.ledger.plan.FaultPlan;
import io.dedup.ledger.plan.RunSize;
import io.dedup.ledger.plan.Traffic;
import io.dedup.ledger.run.ConsumerProcesses;
import io.dedup.ledger.run.EffectCounter;
import io.dedup.ledger.scheme.Stores;
import io.dedup.ledger.tally.RowResult;
import io.dedup.ledger.tally.Tally;
import io.dedup.testkit.faults.TcpProxy;
import io.dedup.testservers.sql.PostgresServer;
import io.dedup.testservers.sql.SqlDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.datasource.init.ScriptUtils;

/** One pass over one row: its messages, its faults, its processes. */
public final class ApplicationRun {
    static final int PARTITIONS = 4;

    private static final Logger log = LoggerFactory.getLogger(ApplicationRun.class);
    private static final Duration QUIET = Duration.ofSeconds(4);

    private final PostgresServer postgres;
    private final ApplicationRow row;
    private final RunSize size;
    private final Duration bound;
    private final Path logs;
    private final Map<String, Long> firstSent = new ConcurrentHashMap<>();

    /** @param logs where the processes' logs go */
    public ApplicationRun(PostgresServer postgres, ApplicationRow row, RunSize size, Duration bound, Path logs) {
        this.postgres = postgres;
        this.row = row;
        this.size = size;
        this.bound = bound;
        this.logs = logs.resolve(row.id() + "-" + size.seed());
    }

    public RowResult result() throws Exception {
        Files.createDirectories(logs);
        SqlDatabase database = postgres.newDatabase();
        try (Connection connection = database.connect()) {
            ScriptUtils.executeSqlScript(
                    connection, new ClassPathResource("io/dedup/store/jdbc/schema-postgresql.sql"));
        }
        try (EffectCounter effects = new EffectCounter();
                TcpProxy store = TcpProxy.to(postgres.port());
                Entrance entrance = Entrance.of(row);
                ConsumerProcesses consumers = new ConsumerProcesses(
                        process -> arguments(process, effects, database, store, entrance), FaultPlan.CONSUMERS, logs)) {
            List<FaultPlan.Fault> faults = FaultPlan.of(size);
            Traffic traffic = new Traffic(size.messages(), faults, size.seed(), PARTITIONS);
            consumers.start();
            go(traffic, faults, entrance, new FaultInjector(postgres, store, entrance.proxies(), consumers), consumers);
            awaitSettled(traffic, effects, entrance, consumers);
            consumers.end();
            return new Tally(row, "plain", List.of(), id -> firstSent.getOrDefault(id, 0L))
                    .of(
                            size,
                            traffic.messages(),
                            effects.of(row),
                            entrance.waiting(),
                            entrance.deadLetters(),
                            store.roundTrips());
        }
    }

    private List<String> arguments(
            int process, EffectCounter effects, SqlDatabase database, TcpProxy store, Entrance entrance) {
        List<String> arguments = new ArrayList<>(List.of(
                "-Xmx384m",
                ApplicationMain.class.getName(),
                row.id(),
                "ledger.row=" + row.id(),
                "ledger.effects=" + effects.port(),
                "spring.main.web-application-type=none",
                "spring.main.banner-mode=off",
                "spring.config.name=none",
                "spring.jmx.enabled=false",
                "spring.datasource.url=" + Stores.withTimeouts(database.jdbcUrlThrough(store.port())),
                "spring.datasource.username=" + database.user(),
                "spring.datasource.password=" + database.password(),
                "spring.datasource.hikari.maximum-pool-size=6",
                "spring.datasource.hikari.connection-timeout=2000",
                "spring.datasource.hikari.validation-timeout=1000",
                "dedup.store=jdbc",
                "dedup.defaults.lease=" + Stores.LEASE.toMillis() + "ms",
                "dedup.defaults.in-flight-wait=20ms",
                "dedup.defaults.max-defer-delay=100ms"));
        arguments.addAll(entrance.properties(process));
        return arguments;
    }

    private void go(
            Traffic traffic,
            List<FaultPlan.Fault> faults,
            Entrance entrance,
            FaultInjector injector,
            ConsumerProcesses consumers)
            throws Exception {
        for (int i = 0; i < faults.size(); i++) {
            FaultPlan.Fault fault = faults.get(i);
            for (int process = 0; process < FaultPlan.CONSUMERS; process++) {
                consumers.awaitReady(process);
            }
            log.info("{}: fault {} of {}: {}", row, i + 1, faults.size(), fault);
            List<Traffic.Send> chunk = traffic.chunks().get(i);
            FutureTask<Boolean> sending = new FutureTask<>(() -> {
                send(chunk, entrance);
                return true;
            });
            new Thread(sending, "sender").start();
            injector.carryOut(fault);
            sending.get();
        }
        send(traffic.chunks().get(faults.size()), entrance);
    }

    private void send(List<Traffic.Send> chunk, Entrance entrance) throws Exception {
        for (Traffic.Send send : chunk) {
            TimeUnit.MILLISECONDS.sleep(send.gapMillis());
            firstSent.putIfAbsent(send.message().id(), System.currentTimeMillis());
            entrance.send(send);
        }
    }

    /** Until everything is acknowledged and nothing more happens; or until nothing at all has happened for too long. */
    private void awaitSettled(Traffic traffic, EffectCounter effects, Entrance entrance, ConsumerProcesses consumers)
            throws Exception {
        Set<String> expected = traffic.messages().stream()
                .filter(message -> !message.poison())
                .map(message -> message.id())
                .collect(Collectors.toSet());
        int before = -1;
        long since = System.nanoTime();
        while (System.nanoTime() - since < bound.toNanos()) {
            consumers.revive();
            Set<String> left = left(expected, effects);
            int now = effects.of(row).size();
            if (now != before) {
                before = now;
                since = System.nanoTime();
            } else if (left.isEmpty() && entrance.isIdle() && System.nanoTime() - since > QUIET.toNanos()) {
                return;
            }
            TimeUnit.MILLISECONDS.sleep(200);
        }
        log.warn(
                "{}: nothing has happened for {} s; without an effect: {}",
                row,
                bound.toSeconds(),
                left(expected, effects));
        consumers.dump();
    }

    private Set<String> left(Set<String> expected, EffectCounter effects) {
        Set<String> left = new HashSet<>(expected);
        effects.of(row).forEach(effect -> left.remove(effect.id()));
        return left;
    }
}

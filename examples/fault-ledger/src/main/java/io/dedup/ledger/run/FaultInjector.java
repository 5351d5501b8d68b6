package io.dedup.ledger.run;

import io.dedup.ledger.consumer.Assignment;
import io.dedup.ledger.consumer.ConsumerFaults;
import io.dedup.ledger.plan.FaultPlan;
import io.dedup.ledger.plan.Pass;
import io.dedup.ledger.plan.Row;
import io.dedup.ledger.plan.Shape;
import io.dedup.ledger.scheme.Stores;
import io.dedup.ledger.tally.DataLoss;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.StringDeserializer;

/** Carries a plan's faults out, to all rows of a run at once. */
final class FaultInjector {
    private static final Duration PAUSE = Stores.LEASE.plusMillis(1_500);
    private static final int STORM = 2;
    private static final int MORE_THAN_ALL_DELIVERIES = Assignment.SHARE_DELIVERIES + 2;
    private static final int FAILING_COMMITS = 12;
    private static final Duration SLOW = Duration.ofMillis(15);
    private static final Duration GUEST_STAYS = Duration.ofMillis(700);

    private final Servers servers;
    private final StoreProxies proxies;
    private final Tables tables;
    private final KafkaConsumers consumers;
    private final String run;
    private final Pass pass;
    private final List<DataLoss> losses = new ArrayList<>();

    FaultInjector(
            Servers servers, StoreProxies proxies, Tables tables, KafkaConsumers consumers, String run, Pass pass) {
        this.servers = servers;
        this.proxies = proxies;
        this.tables = tables;
        this.consumers = consumers;
        this.run = run;
        this.pass = pass;
    }

    /** When the stores' records were deleted. */
    List<DataLoss> losses() {
        return losses;
    }

    /** Returns when it is over. */
    void carryOut(FaultPlan.Fault fault) throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(fault.moment()); // faults hit random moments
        switch (fault.kind()) {
            case KILL -> consumers.processes().kill(fault.victim());
            case PAUSE -> consumers.processes().pause(fault.victim(), PAUSE);
            case STORE_RESTART -> servers.restartStores(fault.variant() > 0);
            case STORE_FLUSH -> flush();
            case STORE_CUT -> cut(fault);
            case LOST_REPLIES -> loseReplies(fault);
            case REBALANCE -> storm();
            case WAKE_UP -> order(ConsumerFaults.wakeUps(fault.millis(), fault.moment()), fault);
            case COMMIT_FAILS -> order(ConsumerFaults.failingCommits(FAILING_COMMITS), fault);
            case REBALANCE_HELD -> stormWhileSlow();
            case SLOW, FAIL, POISON -> {} // the messages do it
            case HANDLER_KILLED, DEPLOY, BROKER_CUT ->
                throw new IllegalArgumentException(fault.kind() + " belongs to another ledger");
        }
    }

    /**
     * Ends those that last until they are used up. A commit that fails behind a partition's last record is never tried
     * again, and would look as if the partition stood still.
     */
    void end() {
        consumers.processes().order(ConsumerFaults.failingCommits(0));
    }

    private void flush() {
        long begin = System.currentTimeMillis();
        servers.flushRedis();
        tables.forget(pass.rows());
        losses.add(new DataLoss(begin, System.currentTimeMillis()));
    }

    private void cut(FaultPlan.Fault fault) throws InterruptedException {
        switch (fault.variant()) {
            case 0 -> proxies.cut();
            case 1 -> proxies.hang();
            default -> proxies.halfOpen();
        }
        if (pass.combinations().values().stream().anyMatch(each -> each.shape() == Shape.SHARE_GROUP)) {
            consumers.restartShareGroups(MORE_THAN_ALL_DELIVERIES);
        }
        TimeUnit.MILLISECONDS.sleep(fault.millis());
        proxies.heal();
    }

    /** For a moment only; otherwise all commands would time out, as in a cut. */
    private void loseReplies(FaultPlan.Fault fault) throws InterruptedException {
        proxies.loseReplies();
        TimeUnit.MILLISECONDS.sleep(fault.millis() / 10);
        proxies.reset();
        proxies.heal();
    }

    /** Members that take partitions, handle nothing, commit nothing, and leave. */
    private void storm() throws InterruptedException {
        for (int i = 0; i < STORM; i++) {
            List<Thread> guests = pass.rows().stream()
                    .filter(row -> pass.of(row).shape() != Shape.SHARE_GROUP) // nobody loses a partition in one
                    .map(row -> new Thread(() -> visit(row), "guest"))
                    .toList();
            guests.forEach(Thread::start);
            for (Thread guest : guests) {
                guest.join();
            }
        }
    }

    private void stormWhileSlow() throws InterruptedException {
        proxies.slow(SLOW);
        storm();
        proxies.heal();
    }

    private void order(String order, FaultPlan.Fault fault) throws InterruptedException {
        consumers.processes().order(order);
        TimeUnit.MILLISECONDS.sleep(fault.millis());
    }

    private void visit(Row row) {
        String topic = Assignment.topic(run, row);
        Map<String, Object> config = new HashMap<>(pass.of(row).membership().settings());
        config.put("bootstrap.servers", servers.kafka().bootstrapServers());
        config.put("group.id", topic);
        config.put("enable.auto.commit", false);
        config.put("auto.offset.reset", "earliest");
        try (KafkaConsumer<String, String> guest =
                new KafkaConsumer<>(config, new StringDeserializer(), new StringDeserializer())) {
            guest.subscribe(List.of(topic));
            long until = System.nanoTime() + GUEST_STAYS.toNanos();
            while (System.nanoTime() - until < 0) {
                guest.poll(Duration.ofMillis(100));
            }
        }
    }
}

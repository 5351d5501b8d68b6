package io.dedup.ledger.rocketmq.run;

import io.dedup.ledger.rocketmq.plan.FaultPlan;
import io.dedup.ledger.rocketmq.plan.RocketRow;
import io.dedup.ledger.run.ConsumerProcesses;
import io.dedup.ledger.scheme.Stores;
import io.dedup.ledger.tally.DataLoss;
import io.dedup.testkit.faults.TcpProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Carries a plan's faults out, to all rows of a run at once. */
final class FaultInjector {
    private static final Duration PAUSE = Stores.LEASE.plusMillis(1_500);
    private static final Duration SLOW_STORE = Duration.ofMillis(30);

    private final Servers servers;
    private final Proxies proxies;
    private final Tables tables;
    private final ConsumerProcesses consumers;
    private final Collection<RocketRow> rows;
    private final List<DataLoss> losses = new ArrayList<>();

    FaultInjector(
            Servers servers, Proxies proxies, Tables tables, ConsumerProcesses consumers, Collection<RocketRow> rows) {
        this.servers = servers;
        this.proxies = proxies;
        this.tables = tables;
        this.consumers = consumers;
        this.rows = rows;
    }

    /** When the stores' records were deleted. */
    List<DataLoss> losses() {
        return losses;
    }

    /** Returns when it is over. */
    void carryOut(FaultPlan.Fault fault) throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(fault.moment()); // faults hit random moments
        switch (fault.kind()) {
            case KILL -> consumers.kill(fault.victim());
            case DEPLOY -> consumers.deploy(fault.victim());
            case PAUSE -> consumers.pause(fault.victim(), PAUSE);
            case BROKER_KILL -> servers.killBroker();
            case BROKER_RESTART -> servers.restartBroker();
            case BROKER_CUT -> cutBroker(fault);
            case STORE_RESTART -> servers.restartStores(fault.variant() > 0);
            case STORE_FLUSH -> flush();
            case STORE_CUT -> cut(fault);
            case STORE_SLOW -> slow(fault);
            case LOST_REPLIES -> loseReplies(fault);
            case SLOW, FAIL, POISON -> {} // the messages do it
        }
    }

    private void flush() {
        long begin = System.currentTimeMillis();
        servers.flushRedis();
        tables.forget(rows);
        losses.add(new DataLoss(begin, System.currentTimeMillis()));
    }

    private void cut(FaultPlan.Fault fault) throws InterruptedException {
        switch (fault.variant()) {
            case 0 -> proxies.cut();
            case 1 -> proxies.hang();
            default -> proxies.halfOpen();
        }
        TimeUnit.MILLISECONDS.sleep(fault.millis());
        proxies.heal();
    }

    private void slow(FaultPlan.Fault fault) throws InterruptedException {
        proxies.slow(SLOW_STORE);
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

    private void cutBroker(FaultPlan.Fault fault) throws InterruptedException {
        TcpProxy broker = proxies.broker();
        switch (fault.variant()) {
            case 0 -> {
                broker.refuse();
                broker.cut();
            }
            case 1 -> broker.freeze();
            case 2 -> broker.halfOpen();
            default -> broker.dropReplies();
        }
        TimeUnit.MILLISECONDS.sleep(fault.millis());
        if (fault.variant() > 1) {
            broker.cut(); // replies that a connection has lost must not arrive later
        }
        broker.heal();
    }
}

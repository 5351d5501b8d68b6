package io.dedup.ledger.applications.run;

import io.dedup.ledger.plan.FaultPlan;
import io.dedup.ledger.run.ConsumerProcesses;
import io.dedup.ledger.scheme.Stores;
import io.dedup.testkit.faults.TcpProxy;
import io.dedup.testservers.sql.PostgresServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Carries a plan's faults out. */
final class FaultInjector {
    private static final Duration PAUSE = Stores.LEASE.plusMillis(1_500);
    /** Until the slow messages that were sent first have reached their handlers. */
    private static final Duration REACHED = Duration.ofSeconds(1);

    private final PostgresServer database;
    private final TcpProxy store;
    private final List<TcpProxy> broker;
    private final ConsumerProcesses consumers;

    FaultInjector(PostgresServer database, TcpProxy store, List<TcpProxy> broker, ConsumerProcesses consumers) {
        this.database = database;
        this.store = store;
        this.broker = broker;
        this.consumers = consumers;
    }

    /** Returns when it is over. */
    void carryOut(FaultPlan.Fault fault) throws InterruptedException {
        sleep(Duration.ofMillis(fault.moment())); // faults hit random moments
        switch (fault.kind()) {
            case KILL -> consumers.kill(fault.victim());
            case HANDLER_KILLED -> {
                sleep(REACHED);
                end(fault, () -> consumers.kill(fault.victim()));
            }
            case DEPLOY -> end(fault, () -> consumers.deploy(fault.victim()));
            case PAUSE -> consumers.pause(fault.victim(), PAUSE);
            case STORE_RESTART -> restart(fault);
            case STORE_CUT -> cut(List.of(store), fault);
            case LOST_REPLIES -> loseReplies(List.of(store), fault);
            case BROKER_CUT -> {
                if (fault.variant() == 2) {
                    loseReplies(broker, fault);
                } else {
                    cut(broker, fault);
                }
            }
            case SLOW, FAIL -> {} // the messages do it
            default -> throw new IllegalArgumentException(fault.kind() + " belongs to another ledger");
        }
    }

    private interface Work {
        void run() throws InterruptedException;
    }

    private void end(FaultPlan.Fault fault, Work work) throws InterruptedException {
        boolean withoutStore = fault.variant() == 0;
        if (withoutStore) {
            store.refuse();
            store.cut();
            sleep(Duration.ofMillis(fault.millis() / 2));
        }
        work.run();
        if (withoutStore) {
            sleep(Duration.ofMillis(fault.millis() / 2));
            store.heal();
        }
    }

    private void restart(FaultPlan.Fault fault) {
        if (fault.variant() > 0) {
            database.kill();
            database.start();
        } else {
            database.restart();
        }
    }

    private static void cut(List<TcpProxy> proxies, FaultPlan.Fault fault) throws InterruptedException {
        switch (fault.variant()) {
            case 0 -> {
                proxies.forEach(TcpProxy::refuse);
                proxies.forEach(TcpProxy::cut);
            }
            case 1 -> proxies.forEach(TcpProxy::freeze);
            default -> proxies.forEach(TcpProxy::halfOpen);
        }
        sleep(Duration.ofMillis(fault.millis()));
        proxies.forEach(TcpProxy::heal);
    }

    /** For a moment only; otherwise everything would time out, as in a cut. */
    private static void loseReplies(List<TcpProxy> proxies, FaultPlan.Fault fault) throws InterruptedException {
        proxies.forEach(TcpProxy::dropReplies);
        sleep(Duration.ofMillis(fault.millis() / 10));
        proxies.forEach(TcpProxy::cut);
        proxies.forEach(TcpProxy::heal);
    }

    private static void sleep(Duration time) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(time.toNanos());
    }
}

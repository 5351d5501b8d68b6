package io.dedup.failover;

import io.dedup.failover.count.Count;
import io.dedup.failover.count.Counter;
import io.dedup.failover.load.Load;
import io.dedup.failover.plan.Outage;
import io.dedup.failover.plan.RunningScenario;
import io.dedup.failover.plan.Scenario;
import io.dedup.failover.plan.Size;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** New servers, a load, some failovers one after the other, and the count. */
final class Pass {
    private static final Logger log = LoggerFactory.getLogger(Pass.class);
    private static final Duration CALM = Duration.ofSeconds(2);
    private static final Duration QUIET = Duration.ofSeconds(2);
    private static final Duration PROBE = Duration.ofMillis(200);

    private final Scenario scenario;
    private final Size size;
    private final Duration bound;

    Pass(Scenario scenario, Size size, Duration bound) {
        this.scenario = scenario;
        this.size = size;
        this.bound = bound;
    }

    Count run() throws Exception {
        try (RunningScenario running = scenario.start(size.seed());
                Load load = new Load(running, size)) {
            load.start();
            sleep(CALM);
            List<Outage> outages = new ArrayList<>();
            for (int i = 0; i < size.failovers(); i++) {
                Outage outage = running.failOver(i);
                log.info(
                        "{}, seed {}: failover {} of {}, {}, took {} ms",
                        scenario.id(),
                        size.seed(),
                        i + 1,
                        size.failovers(),
                        outage.what(),
                        outage.end() - outage.begin());
                outages.add(outage);
                sleep(CALM);
            }
            if (!load.finish(bound)) {
                throw new IllegalStateException("the broker doesn't confirm messages any more");
            }
            boolean consumed = awaitConsumed(running);
            awaitQuiet(running);
            Counter counter = new Counter(load.confirmed(), load.copies(), outages);
            Count count = counter.count(running.effects(), running::lostByServer, consumed);
            counter.unexplained().forEach(effect -> log.error("unexplained: {}; outages: {}", effect, outages));
            log.info("{}, seed {}: {}", scenario.id(), size.seed(), count);
            return count;
        }
    }

    private boolean awaitConsumed(RunningScenario running) throws Exception {
        long until = System.nanoTime() + bound.toNanos();
        while (!running.isConsumed()) {
            if (System.nanoTime() - until > 0) {
                return false;
            }
            sleep(PROBE);
        }
        return true;
    }

    /** A run that another one has overtaken may not have ended yet. */
    private static void awaitQuiet(RunningScenario running) throws Exception {
        int before = -1;
        int now;
        while ((now = running.effects().size()) != before) {
            before = now;
            sleep(QUIET);
        }
    }

    private static void sleep(Duration time) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(time.toNanos());
    }
}

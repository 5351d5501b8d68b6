package io.dedup.spring.boot.internal.check;

import io.dedup.spring.boot.DedupConfigurationException;
import io.dedup.spring.boot.DedupProperties;
import io.dedup.spring.boot.internal.deduplicator.DeduplicatedListener;
import io.dedup.spring.boot.internal.deduplicator.DeduplicatorRegistry;
import io.dedup.spring.boot.internal.deduplicator.Served;
import io.dedup.spring.boot.internal.plan.KnownTopics;
import io.dedup.spring.boot.internal.plan.TopicPlans;
import io.dedup.spring.boot.internal.store.DedupStores;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.SmartLifecycle;

/**
 * Runs all checks once all listeners are known, and before any of them starts. Those that wait for somebody's answer run beside the
 * start, unless they may fail it.
 */
public final class StartChecks implements SmartLifecycle {
    private static final Logger log = LoggerFactory.getLogger("io.dedup");

    private static final RiskCheck.Warning ROUTED = new RiskCheck.Warning(
            "The DataSource of the table of records chooses a database for each connection (a routing DataSource). If it does so by"
                    + " tenant or by anything else that differs between threads or within a handler, the claim of a message, its"
                    + " completion and the claim of its copy may be in different databases, and each copy takes effect",
            "Set dedup.jdbc.data-source to a DataSource of one database. If it leads to the same database wherever the table is"
                    + " used, for example if it only separates reads from writes, set dedup.checks.routing-data-source: false.");

    private final DedupProperties properties;
    private final TopicPlans plans;
    private final DeduplicatorRegistry registry;
    private final DedupStores stores;
    private final KnownTopics known;
    private final ObjectProvider<RiskCheck> checks;
    private volatile boolean running;
    private volatile @Nullable Thread waiting;

    public StartChecks(
            DedupProperties properties,
            TopicPlans plans,
            DeduplicatorRegistry registry,
            DedupStores stores,
            KnownTopics known,
            ObjectProvider<RiskCheck> checks) {
        this.properties = properties;
        this.plans = plans;
        this.registry = registry;
        this.stores = stores;
        this.known = known;
        this.checks = checks;
    }

    @Override
    public void start() {
        running = true;
        checks.orderedStream().forEach(RiskCheck::findListeners);
        List<DeduplicatedListener> listeners = registry.listeners();
        List<Served> served = registry.served();
        UnusedEntries unused = new UnusedEntries(plans, known);
        List<RiskCheck.Warning> warnings = new ArrayList<>(unused.warnings());
        if (served.isEmpty()) {
            requireSomething(unused.noListenerMatches(), warnings);
        }
        if (properties.getStore() != null
                && properties.getHttp().getPaths().isEmpty()
                && registry.deduplicators().isEmpty()) { // nor methods
            warnings.addAll(unused.nothingConfigured());
        }
        if (properties.getChecks().isRoutingDataSource() && stores.isTableRouted()) {
            warnings.add(ROUTED);
        }
        List<RiskCheck> later = new ArrayList<>();
        checks.orderedStream().forEach(check -> {
            if (check.waits() && !properties.isStrict()) {
                later.add(check);
            } else {
                warnings.addAll(check.warnings(listeners));
            }
        });
        if (!served.isEmpty()) {
            log.info("{}", new StartTable(served, stores).text());
            new RecordLocationCheck(properties, plans, known, stores).check(served);
        } else if (!plans.isEmpty() && !known.expectsMoreTopics()) {
            log.warn("dedup.topics or dedup.listeners is set, but no listener is deduplicated");
        }
        if (properties.isStrict()) {
            stores.warnings().stream().findFirst().ifPresent(StartChecks::refuse);
        }
        for (RiskCheck.Warning warning : warnings) {
            if (properties.isStrict()) {
                throw new DedupConfigurationException(
                        warning.problem() + ".",
                        warning.action() + " (Without dedup.strict: true, this is only a warning.)");
            }
            warn(warning);
        }
        if (!later.isEmpty()) {
            Thread thread = new Thread(() -> run(later, listeners), "dedup-start-checks");
            thread.setDaemon(true);
            waiting = thread;
            thread.start();
        }
    }

    private static void run(List<RiskCheck> later, List<DeduplicatedListener> listeners) {
        for (RiskCheck check : later) {
            try {
                check.warnings(listeners).forEach(StartChecks::warn);
            } catch (RuntimeException e) {
                log.info("A check of the settings failed, and says nothing", e); // as while the application ends
            }
        }
    }

    private static void warn(RiskCheck.Warning warning) {
        log.warn("{}. {}", warning.problem(), warning.action());
    }

    private void requireSomething(RiskCheck.@Nullable Warning nothing, List<RiskCheck.Warning> warnings) {
        if (nothing != null && properties.getChecks().isRefuseUnused()) {
            throw new DedupConfigurationException(nothing.problem() + ".", nothing.action());
        }
        if (nothing != null) {
            warnings.add(nothing);
        }
    }

    /** Turns a warning of the store itself into an error. */
    private static void refuse(String warning) {
        throw new DedupConfigurationException(
                "The deduplication store is not safe to use: " + warning,
                "Change the server's settings as described. (Without dedup.strict: true, this is only a warning.)");
    }

    @Override
    public void stop() {
        running = false;
        Thread thread = waiting;
        if (thread != null) {
            thread.interrupt();
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** Before everything that consumes. */
    @Override
    public int getPhase() {
        return Integer.MIN_VALUE;
    }
}

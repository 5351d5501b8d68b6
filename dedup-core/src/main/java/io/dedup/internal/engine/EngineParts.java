package io.dedup.internal.engine;

import io.dedup.DedupListener;
import io.dedup.internal.background.BackgroundWrites;
import io.dedup.internal.background.UnrecordedSuccesses;
import io.dedup.internal.claim.AdmissionDecider;
import io.dedup.internal.claim.Admissions;
import io.dedup.internal.claim.AheadClaimer;
import io.dedup.internal.claim.BatchCopies;
import io.dedup.internal.claim.Claimer;
import io.dedup.internal.claim.ConcurrentCopies;
import io.dedup.internal.claim.MissingIds;
import io.dedup.internal.claim.PoisonMessages;
import io.dedup.internal.lease.Heartbeat;
import io.dedup.internal.lease.Owners;
import io.dedup.internal.listener.SafeListeners;
import io.dedup.internal.run.RunReferences;
import io.dedup.internal.settle.ClaimHandover;
import io.dedup.internal.settle.ClaimSettlement;
import io.dedup.internal.settle.Completions;
import io.dedup.internal.settle.Releases;
import io.dedup.internal.step.Steps;
import io.dedup.internal.storecall.SharedCalls;
import io.dedup.internal.storecall.StoreCalls;
import io.dedup.internal.storecall.StoreGates;
import io.dedup.internal.thread.EngineThreads;
import io.dedup.internal.transaction.FrontStore;
import io.dedup.internal.transaction.Transactions;
import io.dedup.store.DedupStore;
import io.dedup.store.transaction.TransactionalRecords;

/** The parts of an engine. Only {@link #of} knows how they fit together. */
record EngineParts(
        Admissions admissions,
        AheadClaimer ahead,
        Endings endings,
        Heartbeat heartbeat,
        BackgroundWrites background,
        Availability availability,
        Commands commands,
        Shutdown shutdown) {

    /** How runs end: with their claims, with a transaction, with a result for duplicates, on a thread of another's. */
    record Endings(ClaimSettlement claims, Transactions transactions, ResultBytes results, SettlementThreads threads) {}

    /** What operators ask for. */
    record Commands(ForgetCommand forget, EraseCommand erase) {}

    static EngineParts of(EngineSettings settings) {
        DedupStore store = settings.store();
        TransactionalRecords records = settings.records();
        SafeListeners<DedupListener> listeners = new SafeListeners<>(settings.listeners());
        StoreGates gates = new StoreGates();
        SharedCalls shared = settings.sharedCalls() ? new SharedCalls(store) : null;
        StoreCalls calls = new StoreCalls(store, shared, listeners, gates::ended);
        StoreCalls calmCalls = new StoreCalls(store, listeners, gates::endedInBackground);
        UnrecordedSuccesses successes = new UnrecordedSuccesses();
        EngineThreads threads = settings.threads();
        threads.begin(store.name());
        Heartbeat heartbeat = new Heartbeat(calmCalls, listeners, settings.shortestLease(), threads);
        MissingIds missingIds = new MissingIds();
        ConcurrentCopies concurrent = new ConcurrentCopies();
        BackgroundWrites background = new BackgroundWrites(calmCalls, listeners, gates, successes, threads);
        ClaimHandover handover = new ClaimHandover(successes, heartbeat, background);
        Claimer claimer = new Claimer(
                calls, gates, handover, background, new Owners(settings.instance()), heartbeat, missingIds, concurrent);
        Releases releases = new Releases(calls, gates, listeners, heartbeat, background, handover);
        ClaimSettlement settlement = new ClaimSettlement(
                heartbeat,
                new Completions(calls, gates, listeners, background, successes),
                releases,
                new RunReferences(settings.runReference()),
                new Steps(store, calls, listeners, settings.stepCodec(), settings.resultEncryption()),
                settings.contexts());
        PoisonMessages poison = new PoisonMessages(listeners, settlement);
        AdmissionDecider decider =
                new AdmissionDecider(listeners, heartbeat, settlement, poison, handover, missingIds, concurrent);
        Transactions transactions = new Transactions(
                records, listeners, decider, poison, releases, heartbeat, new FrontStore(calls, heartbeat, background));
        Shutdown shutdown =
                new Shutdown(store.name(), transactions, heartbeat, background, threads, settings.shutdownTimeout());
        Admissions admissions =
                new Admissions(claimer, decider, new BatchCopies(listeners, decider), settlement, shutdown::hasBegun);
        Forgetting forgetting = new Forgetting(background, heartbeat, successes);
        return new EngineParts(
                admissions,
                new AheadClaimer(claimer, decider, settlement, admissions),
                new Endings(
                        settlement,
                        transactions,
                        new ResultBytes(listeners, store, records, settings.resultEncryption()),
                        new SettlementThreads(store.name())),
                heartbeat,
                background,
                new Availability(store, records != null, decider, transactions),
                new Commands(
                        new ForgetCommand(store, calls, background, forgetting, records, claimer::nextOwner),
                        new EraseCommand(store, forgetting, records, listeners)),
                shutdown);
    }
}

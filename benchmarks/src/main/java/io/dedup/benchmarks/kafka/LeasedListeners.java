package io.dedup.benchmarks.kafka;

import io.dedup.benchmarks.subject.ByHandStore;
import io.dedup.store.DedupStore;
import java.util.LinkedHashMap;
import java.util.Map;

/** Listeners whose effect may be anywhere, by name: each claims before the handler and completes after it. */
public final class LeasedListeners {
    private LeasedListeners() {}

    /**
     * Those on one store.
     *
     * @param byHand what one writes oneself
     * @param others receivers of others, by name
     */
    public static Map<String, ListenerContender> on(
            ListenerBench bench, DedupStore store, ByHandStore byHand, Map<String, OtherReceivers.Maker> others) {
        Map<String, ListenerContender> contenders = new LinkedHashMap<>();
        contenders.put(ListenerNames.NO_DEDUP, handler -> bench.recordsPerSecond(null, false, handler));
        contenders.put(ListenerNames.BY_HAND, handler -> bench.recordsByHandSingly(byHand, handler));
        contenders.put(ListenerNames.BY_HAND_BATCH, handler -> bench.recordsByHand(byHand, handler));
        contenders.put(ListenerNames.SINGLE, handler -> bench.recordsPerSecond(store, false, handler));
        contenders.put(ListenerNames.AHEAD, handler -> bench.recordsPerSecond(store, true, handler));
        contenders.put(ListenerNames.BATCH, handler -> bench.batchRecordsPerSecond(store, handler));
        others.forEach((name, maker) -> contenders.put(name, handler -> bench.recordsPerSecond(maker, handler)));
        return contenders;
    }
}

package io.dedup.benchmarks.redis;

import io.dedup.benchmarks.measure.Contender;
import io.dedup.benchmarks.network.Network;
import io.dedup.benchmarks.subject.BareWorkers;
import io.dedup.benchmarks.subject.ByHandWorkers;
import io.dedup.benchmarks.subject.Capture;
import io.dedup.benchmarks.subject.Captured;
import io.dedup.benchmarks.subject.ContenderNames;
import io.dedup.benchmarks.subject.DedupWorkers;
import io.dedup.benchmarks.subject.Exchange;
import io.dedup.benchmarks.subject.StoreRequests;
import io.dedup.benchmarks.subject.Subject;
import io.dedup.testservers.redis.RedisBinary;
import java.util.ArrayList;
import java.util.List;

/** Redis: the store, the same commands by Lettuce alone, and what one writes without a framework. */
public final class RedisSubject implements Subject {
    private static final int UNFENCED_FROM = 7;
    private static final int LARGEST = 500;

    private final StoreRequests requests = new StoreRequests();
    private final RedisUnderTest redis;
    private final BareWorkers bare;
    private final ByHandKeys byHand;
    private final ByHandKeys fenced;
    private final List<DedupWorkers> dedups = new ArrayList<>();
    private final boolean nativeClaims;

    public RedisSubject(RedisBinary binary, Network network) {
        this.redis = RedisUnderTest.start(binary, network);
        this.bare = new BareWorkers(requests, redis.store());
        this.byHand = ByHandKeys.leased(redis.route().port());
        this.fenced = ByHandKeys.fenced(redis.route().port());
        this.nativeClaims = binary.major() >= UNFENCED_FROM;
    }

    @Override
    public String name() {
        return redis.name();
    }

    @Override
    public long serverNanos() {
        return redis.serverNanos();
    }

    @Override
    public List<Contender> contenders() {
        List<Contender> contenders = new ArrayList<>(dedup(true).contenders());
        Capture capture = new Capture(requests, redis.store(), this::captured);
        contenders.addAll(bare.singles(ContenderNames.BARE, capture.single(true)));
        for (int size : ContenderNames.BATCHES) {
            contenders.add(bare.batch(ContenderNames.BARE, size, capture.batch(size)));
        }
        contenders.addAll(naive());
        contenders.addAll(new ByHandWorkers(ContenderNames.BY_HAND, byHand).contenders());
        contenders.addAll(new ByHandWorkers(ContenderNames.BY_HAND_FENCED, fenced).contenders());
        if (nativeClaims) {
            contenders.addAll(dedup(false).singles());
            contenders.addAll(bare.singles(ContenderNames.BARE_UNFENCED, capture.single(false)));
        }
        return contenders;
    }

    private DedupWorkers dedup(boolean fenced) {
        DedupWorkers dedup = new DedupWorkers(requests, redis.store(), fenced);
        dedups.add(dedup);
        return dedup;
    }

    private List<Contender> naive() {
        NaiveExchange naive = new NaiveExchange(redis.connection(), redis.ownConnection());
        return List.of(
                bare.single(ContenderNames.NAIVE, new Captured(naive::claim, naive::complete)),
                bare.batch(ContenderNames.NAIVE, LARGEST, new Captured(naive::claimAll, naive::completeAll)));
    }

    private Exchange captured(List<String> ids, Runnable work) {
        return LettuceExchange.of(redis.connection(), new Monitor(redis.server()).capture(work), ids);
    }

    @Override
    public void close() {
        dedups.forEach(DedupWorkers::close);
        byHand.close();
        fenced.close();
        redis.close();
    }
}

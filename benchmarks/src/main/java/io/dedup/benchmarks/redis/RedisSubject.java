package io.dedup.benchmarks.redis;

import io.dedup.benchmarks.measure.Contender;
import io.dedup.benchmarks.measure.Traffic;
import io.dedup.benchmarks.subject.BareWorkers;
import io.dedup.benchmarks.subject.Bench;
import io.dedup.benchmarks.subject.DedupWorkers;
import io.dedup.benchmarks.subject.Exchange;
import io.dedup.benchmarks.subject.Names;
import io.dedup.benchmarks.subject.Subject;
import io.dedup.store.ClaimResult;
import io.dedup.store.Owner;
import io.dedup.store.WriteResult;
import io.dedup.testservers.RedisBinary;
import java.util.ArrayList;
import java.util.List;

/** Redis: the store, the same commands by Lettuce alone, and what one writes without a framework. */
public final class RedisSubject implements Subject {
    private static final int UNFENCED_FROM = 7;

    private final Bench bench = new Bench();
    private final RedisBench redis;
    private final BareWorkers bare;
    private final List<DedupWorkers> dedups = new ArrayList<>();
    private final boolean nativeClaims;

    public RedisSubject(RedisBinary binary) {
        this.redis = RedisBench.start(binary);
        this.bare = new BareWorkers(bench, redis.store());
        this.nativeClaims = binary.major() >= UNFENCED_FROM;
    }

    @Override
    public String name() {
        return redis.name();
    }

    @Override
    public List<Contender> contenders() {
        List<Contender> contenders = new ArrayList<>(dedup(true).contenders());
        contenders.addAll(bareSingles(Names.BARE, true));
        for (int size : Names.BATCHES) {
            contenders.add(bareBatch(size));
        }
        contenders.add(naive());
        if (nativeClaims) {
            contenders.addAll(dedup(false).singles());
            contenders.addAll(bareSingles(Names.BARE_UNFENCED, false));
        }
        return contenders;
    }

    private DedupWorkers dedup(boolean fenced) {
        DedupWorkers dedup = new DedupWorkers(bench, redis.store(), fenced);
        dedups.add(dedup);
        return dedup;
    }

    private List<Contender> bareSingles(String name, boolean fenced) {
        Owner owner = Bench.newOwner();
        List<String> ids = newIds(Traffic.DUPLICATE_EVERY).subList(0, 1);
        Exchange claim = captured(ids, () -> {
            ClaimResult ignored = redis.store().claim(Bench.claim(ids.get(0), owner, fenced));
        });
        Exchange complete = captured(ids, () -> {
            WriteResult ignored = redis.store().complete(Bench.completion(ids.get(0), owner));
        });
        bench.check(redis.store(), each(claim), each(complete), Traffic.DUPLICATE_EVERY);
        return bare.singles(name, claim, complete);
    }

    private Contender bareBatch(int size) {
        Owner owner = Bench.newOwner();
        List<String> ids = newIds(2 * size).subList(0, size);
        List<String> fresh = ids.subList(0, size - size / Traffic.DUPLICATE_EVERY);
        Exchange claim = captured(ids, () -> {
            List<ClaimResult> ignored = redis.store().claimAll(Bench.claims(ids, owner, true));
        });
        Exchange complete = captured(fresh, () -> {
            List<WriteResult> ignored = redis.store().completeAll(Bench.completions(fresh, owner));
        });
        bench.check(redis.store(), claim, complete, size);
        return bare.batch(Names.BARE, size, claim, complete);
    }

    private Contender naive() {
        NaiveExchange naive = new NaiveExchange(redis.connection());
        return bare.single(Names.NAIVE, naive::claim, naive::complete);
    }

    private List<String> newIds(int blockSize) {
        return bench.newTraffic(redis.store(), blockSize).next().fresh();
    }

    private Exchange captured(List<String> ids, Runnable work) {
        return LettuceExchange.of(redis.connection(), new Monitor(redis.server()).capture(work), ids);
    }

    private static Exchange each(Exchange one) {
        return ids -> ids.forEach(id -> one.send(List.of(id)));
    }

    @Override
    public void close() {
        dedups.forEach(DedupWorkers::close);
        redis.close();
    }
}

package io.dedup.ledger.scheme;

import io.lettuce.core.RedisException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.List;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/** A lock on the majority of several masters; under it: looks for the mark on any of them, acts, marks on a majority. */
public final class QuorumLock implements Scheme {
    private final Stores stores;
    private final List<RedisCommands<String, String>> masters;

    public QuorumLock(Stores stores) {
        this.stores = stores;
        this.masters = IntStream.range(0, stores.redisPorts().size())
                .mapToObj(stores::redis)
                .toList();
    }

    @Override
    public void handle(String id, Runnable effect) {
        String lock = stores.key(id) + ":lock";
        String mark = stores.key(id) + ":done";
        String owner = UUID.randomUUID().toString();
        long begin = System.nanoTime();
        try {
            int locked =
                    count(master -> master.set(lock, owner, SetArgs.Builder.nx().px(Stores.LEASE)) != null);
            if (!isMajority(locked) || System.nanoTime() - begin > Stores.LEASE.toNanos()) {
                throw new NotNowException("no quorum");
            }
            if (count(master -> master.get(mark) != null) > 0) {
                return;
            }
            effect.run();
            if (!isMajority(count(master -> master.set(mark, "done", SetArgs.Builder.px(Stores.WINDOW)) != null))) {
                throw new IllegalStateException("not marked on a majority");
            }
        } finally {
            count(master ->
                    master.<Long>eval(Setnx.DELETE_OWN, ScriptOutputType.INTEGER, new String[] {lock}, owner) > 0);
        }
    }

    private int count(Predicate<RedisCommands<String, String>> answer) {
        int yes = 0;
        for (RedisCommands<String, String> master : masters) {
            try {
                yes += answer.test(master) ? 1 : 0;
            } catch (RedisException down) {
                // one of the minority, or there will be no majority
            }
        }
        return yes;
    }

    private boolean isMajority(int count) {
        return count > masters.size() / 2;
    }
}

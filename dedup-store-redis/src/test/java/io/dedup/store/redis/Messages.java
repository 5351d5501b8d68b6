package io.dedup.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.DedupKey;
import io.dedup.DedupScope;
import io.dedup.policy.Window;
import io.dedup.store.Claim;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.CompleteRequest;
import io.dedup.store.DedupStore;
import io.dedup.store.Owner;
import io.dedup.store.ReleaseMode;
import io.dedup.store.ReleaseRequest;
import io.dedup.store.RenewRequest;
import io.dedup.store.WriteResult;
import io.dedup.store.redis.internal.record.RecordKeys;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** Keys that nobody has used, and short ways to the calls about them. */
final class Messages {
    static final Duration LEASE = Duration.ofMinutes(1);
    static final Window WINDOW = Window.of(Duration.ofHours(1));

    private static final AtomicInteger OWNERS = new AtomicInteger();

    private final DedupScope scope =
            DedupScope.of("redis-tests", UUID.randomUUID().toString());
    private int next;

    DedupKey key() {
        return scope.key("order-" + next++);
    }

    DedupKey key(String id) {
        return scope.key(id);
    }

    List<ClaimRequest> claims(int count) {
        return IntStream.range(0, count).mapToObj(i -> claim(key())).toList();
    }

    /** The key as the server has it, in the default namespace. */
    static String stored(DedupKey key) {
        return new String(new RecordKeys(RedisDedupStoreBuilder.DEFAULT_NAMESPACE).key(key), StandardCharsets.UTF_8);
    }

    static Owner owner() {
        return new Owner("owner-" + OWNERS.incrementAndGet());
    }

    static ClaimRequest claim(DedupKey key) {
        return new ClaimRequest(key, owner(), LEASE);
    }

    static ClaimRequest unfenced(DedupKey key) {
        return new ClaimRequest(key, owner(), LEASE, null, false);
    }

    static CompleteRequest complete(ClaimRequest claimed) {
        return complete(claimed, null, false);
    }

    static CompleteRequest complete(ClaimRequest claimed, byte[] result, boolean repeated) {
        return new CompleteRequest(new Claim(claimed.key(), claimed.owner(), 1), WINDOW, result, repeated);
    }

    static ReleaseRequest release(ClaimRequest claimed, ReleaseMode mode) {
        return new ReleaseRequest(new Claim(claimed.key(), claimed.owner(), 1), mode);
    }

    static RenewRequest renew(ClaimRequest claimed) {
        return new RenewRequest(new Claim(claimed.key(), claimed.owner(), 1), LEASE);
    }

    static ClaimRequest acquire(DedupStore store, DedupKey key) {
        ClaimRequest request = claim(key);
        assertThat(only(store.claim(List.of(request)))).isInstanceOf(ClaimResult.Acquired.class);
        return request;
    }

    static void done(DedupStore store, DedupKey key) {
        assertThat(only(store.complete(List.of(complete(acquire(store, key)))))).isEqualTo(WriteResult.applied());
    }

    /** The answer to a list of one request; throws the error if it has no answer. */
    static <A> A only(List<A> answers) {
        assertThat(answers).hasSize(1);
        return first(answers);
    }

    /** The first of answers of one kind; throws the error if they are none. */
    static <A> A first(List<A> answers) {
        A first = answers.get(0);
        assertThat(answers).allMatch(answer -> answer.getClass() == first.getClass());
        if (first instanceof ClaimResult.StoreError error) {
            throw error.cause();
        }
        if (first instanceof WriteResult.StoreError error) {
            throw error.cause();
        }
        return first;
    }
}

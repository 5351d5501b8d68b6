package io.dedup.store.jdbc.support;

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
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** Keys that nobody has used, and short ways to the calls about them. */
public final class Messages {
    public static final Duration LEASE = Duration.ofMinutes(1);
    public static final Window WINDOW = Window.of(Duration.ofHours(1));

    private static final AtomicInteger OWNERS = new AtomicInteger();

    private final DedupScope scope = DedupScope.of("jdbc-tests", "orders");
    private int next;

    public DedupKey key() {
        return scope.key("order-" + next++);
    }

    public DedupKey key(String id) {
        return scope.key(id);
    }

    public List<ClaimRequest> claims(int count) {
        return IntStream.range(0, count).mapToObj(i -> claim(key())).toList();
    }

    public static Owner owner() {
        return new Owner("owner-" + OWNERS.incrementAndGet());
    }

    public static ClaimRequest claim(DedupKey key) {
        return new ClaimRequest(key, owner(), LEASE);
    }

    public static List<ClaimRequest> again(List<ClaimRequest> others) {
        return others.stream().map(other -> claim(other.key())).toList();
    }

    public static CompleteRequest complete(ClaimRequest claimed) {
        return complete(claimed, false);
    }

    public static CompleteRequest complete(ClaimRequest claimed, boolean repeated) {
        return new CompleteRequest(first(claimed), WINDOW, null, repeated);
    }

    public static ReleaseRequest release(ClaimRequest claimed) {
        return new ReleaseRequest(first(claimed), ReleaseMode.STARTED);
    }

    public static RenewRequest renew(ClaimRequest claimed) {
        return new RenewRequest(first(claimed), LEASE);
    }

    private static Claim first(ClaimRequest claimed) {
        return new Claim(claimed.key(), claimed.owner(), 1);
    }

    public static ClaimRequest acquire(DedupStore store, DedupKey key) {
        ClaimRequest request = claim(key);
        assertThat(only(store.claim(List.of(request)))).isInstanceOf(ClaimResult.Acquired.class);
        return request;
    }

    public static List<ClaimRequest> acquireAll(DedupStore store, List<ClaimRequest> requests) {
        assertThat(store.claim(requests)).hasOnlyElementsOfType(ClaimResult.Acquired.class);
        return requests;
    }

    /** A record that anybody may claim, with one attempt behind it. */
    public static ClaimRequest released(DedupStore store, DedupKey key) {
        ClaimRequest request = acquire(store, key);
        assertThat(only(store.release(List.of(release(request))))).isEqualTo(WriteResult.applied());
        return request;
    }

    public static void done(DedupStore store, DedupKey key) {
        assertThat(only(store.complete(List.of(complete(acquire(store, key)))))).isEqualTo(WriteResult.applied());
    }

    public static void assertAcquired(ClaimResult answer, int attempt) {
        assertThat(answer)
                .isInstanceOfSatisfying(
                        ClaimResult.Acquired.class,
                        acquired -> assertThat(acquired.attempt()).isEqualTo(attempt));
    }

    /** The answer to a list of one request; throws the error if it has no answer. */
    public static <A> A only(List<A> answers) {
        assertThat(answers).hasSize(1);
        return first(answers);
    }

    /** The first of answers of one kind; throws the error if they are none. */
    public static <A> A first(List<A> answers) {
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

package io.dedup.testkit.internal.history;

import io.dedup.DedupKey;
import io.dedup.DedupScope;
import io.dedup.Fingerprint;
import io.dedup.LiveLease;
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
import io.dedup.store.StepRecords;
import io.dedup.store.StepRequest;
import io.dedup.testkit.fixture.StoreFixture;
import io.dedup.testkit.internal.scenario.ContractGroup;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Random calls on a few keys, made on both the store under test and the reference.
 *
 * <p>All times are multiples of a unit that is long against what the store's clock does by itself, so that both
 * always agree on what is over.
 */
final class RandomHistory {
    private static final int KEYS = 5;
    private static final int REMEMBERED = 6;

    private final Random random;
    private final StoreFixture fixture;
    private final ReferenceStore reference;
    private final Duration unit;
    private final List<DedupKey> keys;
    private final Comparison comparison;
    private final Map<DedupKey, List<ClaimRequest>> requests = new HashMap<>();
    private final List<String> log = new ArrayList<>();
    private int owners;

    RandomHistory(StoreFixture fixture, long seed) {
        this.fixture = fixture;
        random = new Random(seed);
        reference = new ReferenceStore(fixture.store().attemptRetention());
        unit = fixture.drift().isZero() ? Duration.ofMillis(1) : Duration.ofHours(1);
        DedupScope scope = ContractGroup.newScope();
        keys = IntStream.range(0, KEYS).mapToObj(i -> scope.key("k" + i)).toList();
        comparison = new Comparison(fixture.drift());
    }

    void run(int steps) {
        for (int i = 0; i < steps; i++) {
            step();
            for (DedupKey key : keys) {
                comparison.records(key, reference.store().find(key), client().find(key));
            }
        }
    }

    String log() {
        return String.join("\n", log);
    }

    private void step() {
        if (fixture.keepsSteps() && random.nextInt(8) == 0) {
            write("step", this::step, (store, requests) -> StepRecords.of(store).keepSteps(requests));
            return;
        }
        int dice = random.nextInt(100);
        if (dice < 35) {
            claim();
        } else if (dice < 53) {
            write("complete", this::completion, DedupStore::complete);
        } else if (dice < 67) {
            write("release", this::release, DedupStore::release);
        } else if (dice < 77) {
            write("renew", this::renewal, DedupStore::renew);
        } else if (dice < 95) {
            advance(unit.multipliedBy(1 + random.nextInt(6)));
        } else if (dice < 96) {
            Duration retention = fixture.store().attemptRetention();
            advance(random.nextBoolean() ? retention : retention.minus(unit));
        } else if (dice < 97) {
            log.add("purge");
            fixture.purge();
        } else {
            operate();
        }
    }

    private void advance(Duration by) {
        log.add("advance " + by);
        fixture.advance(by);
        reference.advance(by);
    }

    private void claim() {
        List<ClaimRequest> batch = someKeys().stream().map(this::claimRequest).toList();
        asked("claim", batch);
        List<ClaimResult> expected = reference.store().claim(batch);
        List<ClaimResult> actual = client().claim(batch);
        answered(expected, actual);
        comparison.sizes(expected, actual);
        for (int i = 0; i < batch.size(); i++) {
            comparison.claims(batch.get(i), expected.get(i), actual.get(i));
        }
    }

    private <T> void write(String name, Function<DedupKey, T> request, BiFunction<DedupStore, List<T>, List<?>> all) {
        List<T> batch = someKeys().stream().map(request).toList();
        asked(name, batch);
        List<?> expected = all.apply(reference.store(), batch);
        List<?> actual = all.apply(client(), batch);
        answered(expected, actual);
        comparison.equal(expected, actual);
    }

    private void operate() {
        DedupKey key = keys.get(random.nextInt(KEYS));
        LiveLease force = random.nextInt(3) == 0 ? LiveLease.OVERRIDE : LiveLease.RESPECT;
        boolean forget = random.nextBoolean();
        Window window = window();
        Function<DedupStore, Object> operation =
                forget ? store -> store.forget(key, force) : store -> store.forceDone(key, window, force);
        asked(
                forget ? "forget" : "forceDone",
                List.of(key.messageId(), forget ? "" : window, force == LiveLease.OVERRIDE ? "forced" : ""));
        Object expected = operation.apply(reference.store());
        Object actual = operation.apply(client());
        answered(List.of(expected), List.of(actual));
        comparison.equal(expected, actual);
        if (forget) {
            advance(unit); // on a clock that stands still, the next token would equal the forgotten one
        }
    }

    private void asked(String call, List<?> requests) {
        log.add(call + " " + HistoryText.of(requests));
    }

    private void answered(List<?> expected, List<?> actual) {
        log.add("    expected " + HistoryText.of(expected));
        log.add("    actual   " + HistoryText.of(actual));
    }

    /** Numbered, so that one seed always gives the same history; the scope is new each time. */
    private Owner newOwner() {
        return new Owner("o" + ++owners + (random.nextInt(3) == 0 ? "" : Owner.ALONE_END));
    }

    private ClaimRequest claimRequest(DedupKey key) {
        List<ClaimRequest> earlier = requests.computeIfAbsent(key, any -> new ArrayList<>());
        if (!earlier.isEmpty() && random.nextInt(4) == 0) {
            return earlier.get(random.nextInt(earlier.size())); // the owner repeats a request, or a zombie sends one
        }
        ClaimRequest request = new ClaimRequest(key, newOwner(), lease(), fingerprint(), random.nextInt(8) != 0);
        earlier.add(request);
        if (earlier.size() > REMEMBERED) {
            earlier.remove(0);
        }
        return request;
    }

    /** The holder's claim in half of the cases, otherwise one that was lost or never acquired. */
    private Claim someClaim(DedupKey key) {
        int attempt =
                reference.store().find(key).map(record -> record.attempt()).orElse(1);
        List<ClaimRequest> earlier = requests.getOrDefault(key, List.of());
        Optional<Owner> holder = reference.store().find(key).map(record -> record.owner());
        if (holder.isPresent() && random.nextInt(3) != 0) {
            return new Claim(key, holder.get(), attempt);
        }
        if (earlier.isEmpty() || random.nextInt(6) == 0) {
            return new Claim(key, newOwner(), attempt);
        }
        return new Claim(
                key, earlier.get(random.nextInt(earlier.size())).owner(), Math.max(0, attempt - random.nextInt(2)));
    }

    private CompleteRequest completion(DedupKey key) {
        byte[] result = null;
        if (random.nextInt(3) == 0) {
            result = new byte[random.nextInt(40)];
            random.nextBytes(result);
        }
        return new CompleteRequest(someClaim(key), window(), result, random.nextInt(4) == 0);
    }

    private ReleaseRequest release(DedupKey key) {
        ReleaseMode[] modes = ReleaseMode.values();
        return new ReleaseRequest(someClaim(key), modes[random.nextInt(modes.length)]);
    }

    private StepRequest step(DedupKey key) {
        byte[] entry = new byte[1 + random.nextInt(40)];
        random.nextBytes(entry);
        return new StepRequest(someClaim(key), entry);
    }

    private RenewRequest renewal(DedupKey key) {
        return new RenewRequest(someClaim(key), lease());
    }

    private Duration lease() {
        return unit.multipliedBy(1 + random.nextInt(8));
    }

    private Window window() {
        return switch (random.nextInt(12)) {
            case 0 -> Window.forever();
            case 1 -> Window.of(Window.MAX);
            default -> Window.of(unit.multipliedBy(1 + random.nextInt(10)));
        };
    }

    private @Nullable Fingerprint fingerprint() {
        return switch (random.nextInt(5)) {
            case 0 -> ContractGroup.BLUE;
            case 1 -> null;
            default -> ContractGroup.RED;
        };
    }

    private List<DedupKey> someKeys() {
        List<DedupKey> some = new ArrayList<>(keys);
        Collections.shuffle(some, random);
        return some.subList(0, random.nextInt(3) == 0 ? 2 + random.nextInt(KEYS - 1) : 1);
    }

    private DedupStore client() {
        return random.nextBoolean() ? fixture.store() : fixture.secondInstance();
    }
}

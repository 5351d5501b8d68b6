package io.dedup.store.redis.internal.record;

import io.dedup.DedupKey;
import io.dedup.Fingerprint;
import io.dedup.policy.Window;
import io.dedup.store.Claim;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.CompleteRequest;
import io.dedup.store.Owner;
import io.dedup.store.ReleaseMode;
import io.dedup.store.ReleaseRequest;
import io.dedup.store.RenewRequest;
import io.dedup.store.StepRequest;
import io.dedup.store.StoredRecord;
import io.dedup.store.WriteResult;
import io.dedup.store.operator.ImportRequest;
import io.dedup.store.operator.ImportResult;
import io.dedup.store.redis.internal.connection.RedisErrors;
import io.dedup.store.redis.internal.packed.Buckets;
import io.dedup.store.redis.internal.packed.Packing;
import io.dedup.store.redis.internal.packed.WindowCode;
import io.dedup.store.redis.internal.script.BulkStrings;
import io.dedup.store.redis.internal.script.Script;
import io.dedup.store.redis.internal.script.ScriptCall;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.StatusOutput;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Encodes requests as arguments of the scripts. The comments at the start of the scripts describe these. */
public final class ScriptCalls {
    /** For {@link BatchPart#common}: a window without an end. */
    static final long FOREVER = -1;

    /** Longer than any useful lease, and short enough for Redis to add it to its clock. */
    private static final long MAX_LEASE_MILLIS = Window.MAX.toMillis();

    private static final int BYTES_AROUND = 128;
    private static final byte[] NOTHING = {};

    private final Scripts scripts;
    private final RecordArguments start;
    private final Packing packing;
    private final Runnable overgrown;
    private final long retentionMillis;
    private final RedisErrors errors;

    /**
     * Creates the calls of a namespace.
     *
     * @param buckets null if it isn't packed
     * @param overgrown called when a server answers that a bucket has outgrown its small form; quick, never throws
     */
    public ScriptCalls(
            Scripts scripts,
            RecordKeys keys,
            @Nullable Buckets buckets,
            Packing packing,
            Runnable overgrown,
            Duration attemptRetention,
            RedisErrors errors) {
        this.scripts = scripts;
        this.start = new RecordArguments(keys, buckets);
        this.packing = packing;
        this.overgrown = overgrown;
        this.retentionMillis = attemptRetention.toMillis();
        this.errors = errors;
    }

    static long leaseMillis(Duration lease) {
        return Math.min(lease.toMillis(), MAX_LEASE_MILLIS);
    }

    static long windowMillis(Window window) {
        Duration length = window.duration();
        return length == null ? FOREVER : length.toMillis();
    }

    /** The time to live of a key whose lease begins now. */
    long timeToLive(long leaseMillis) {
        return leaseMillis + retentionMillis;
    }

    ScriptCall<ClaimResult[]> claim(long leaseMillis, List<ClaimRequest> requests) {
        boolean fingerprints = false;
        for (ClaimRequest request : requests) {
            fingerprints |= request.fingerprint() != null;
        }
        BulkStrings arguments = start.recordsAndBuckets(requests, ClaimRequest::key)
                .add(timeToLive(leaseMillis))
                .add(retentionMillis);
        Owner common = fingerprints ? null : commonOwner(requests, ClaimRequest::owner);
        if (common != null) {
            arguments.add("0").add(common.value(), ',');
        } else {
            arguments.add(fingerprints ? "2" : "1");
            for (ClaimRequest request : requests) {
                arguments.add(request.owner().value(), ',');
                if (fingerprints) {
                    Fingerprint fingerprint = request.fingerprint();
                    arguments.add(fingerprint == null ? "" : fingerprint.value());
                }
            }
        }
        int size = requests.size();
        return new ScriptCall<>(scripts.claim(), arguments, () -> new ClaimOutput(size, errors));
    }

    ScriptCall<WriteResult[]> complete(long windowMillis, List<CompleteRequest> requests) {
        int results = 0;
        boolean repeated = false;
        for (CompleteRequest request : requests) {
            results += request.result() == null ? 0 : 1;
            repeated |= request.repeated();
        }
        boolean plain = results == 0 && !repeated;
        BulkStrings arguments = startOfCompletion(requests, windowMillis).add(window(windowMillis));
        Owner common = plain || (results == requests.size() && !repeated)
                ? commonOwner(requests, request -> request.claim().owner())
                : null;
        if (common != null) {
            arguments.add(plain ? "0" : "-1").add(common.value(), ',');
            for (CompleteRequest request : requests) {
                byte[] result = request.result();
                if (result != null) {
                    arguments.add(result);
                }
            }
            return write(scripts.complete(), arguments, requests.size());
        }
        arguments.add(plain ? "1" : "3");
        for (CompleteRequest request : requests) {
            arguments.add(request.claim().owner().value(), ',');
            if (!plain) {
                arguments.add(
                        request.repeated() ? Integer.toString(request.claim().attempt()) : "");
                byte[] result = request.result();
                if (result == null) {
                    arguments.add(NOTHING);
                } else {
                    arguments.add('+', result);
                }
            }
        }
        return write(scripts.complete(), arguments, requests.size());
    }

    ScriptCall<WriteResult[]> release(List<ReleaseRequest> requests) {
        BulkStrings arguments =
                start.records(requests, request -> request.claim().key()).add(retentionMillis);
        for (ReleaseRequest request : requests) {
            arguments.add(request.claim().owner().value(), ',').add(letter(request.mode()));
        }
        return write(scripts.release(), arguments, requests.size());
    }

    ScriptCall<WriteResult[]> renew(long leaseMillis, List<RenewRequest> requests) {
        BulkStrings arguments =
                start.records(requests, request -> request.claim().key()).add(timeToLive(leaseMillis));
        for (RenewRequest request : requests) {
            Claim claim = request.claim();
            arguments.add(claim.owner().value(), ',');
        }
        return write(scripts.renew(), arguments, requests.size());
    }

    ScriptCall<WriteResult[]> keepSteps(List<StepRequest> requests) {
        BulkStrings arguments =
                start.records(requests, request -> request.claim().key());
        for (StepRequest request : requests) {
            arguments.add(request.claim().owner().value(), ',').add(request.entry());
        }
        return write(scripts.keepSteps(), arguments, requests.size());
    }

    ScriptCall<Optional<StoredRecord>> find(DedupKey key) {
        return new ScriptCall<>(scripts.find(), start(key), () -> new FindOutput(retentionMillis, errors));
    }

    /** The records among these keys that are stuck, by the key's position. */
    ScriptCall<Map<Integer, StoredRecord>> stuck(List<byte[]> wholeKeys, long olderThanMillis) {
        BulkStrings arguments = new BulkStrings(BYTES_AROUND * (1 + wholeKeys.size())).add(wholeKeys.size());
        wholeKeys.forEach(key -> arguments.addKey(key, NOTHING));
        arguments.add(retentionMillis).add(olderThanMillis);
        return new ScriptCall<>(scripts.stuck(), arguments, () -> new StuckOutput(retentionMillis));
    }

    ScriptCall<String> forget(DedupKey key, boolean force) {
        return forget(start(key), force);
    }

    /** @param key as stored */
    ScriptCall<String> forgetStored(byte[] key, boolean force) {
        return forget(start.stored(key), force);
    }

    private ScriptCall<String> forget(BulkStrings keyOnly, boolean force) {
        BulkStrings arguments = keyOnly.add(retentionMillis).add(force ? "1" : "0");
        return new ScriptCall<>(scripts.forget(), arguments, () -> new StatusOutput<>(ByteArrayCodec.INSTANCE));
    }

    ScriptCall<String> forceDone(DedupKey key, Window window, boolean force) {
        long windowMillis = windowMillis(window);
        BulkStrings arguments = withCode(start(key), windowMillis);
        arguments.add(retentionMillis).add(force ? "1" : "0").add(window(windowMillis));
        return new ScriptCall<>(scripts.forceDone(), arguments, () -> new StatusOutput<>(ByteArrayCodec.INSTANCE));
    }

    ScriptCall<ImportResult[]> importDone(long windowMillis, List<ImportRequest> requests) {
        BulkStrings arguments = withCode(start.recordsAndBuckets(requests, ImportRequest::key), windowMillis)
                .add(retentionMillis)
                .add(window(windowMillis));
        for (ImportRequest request : requests) {
            arguments.add(request.completedAt().toEpochMilli());
            byte[] result = request.result();
            if (result == null) {
                arguments.add(NOTHING);
            } else {
                arguments.add('+', result);
            }
        }
        int size = requests.size();
        return new ScriptCall<>(scripts.importDone(), arguments, () -> new ImportOutput(size, errors));
    }

    /** A store that only reads buckets must find a completion in one, too, when that is repeated. */
    private BulkStrings startOfCompletion(List<CompleteRequest> requests, long windowMillis) {
        return withCode(
                start.recordsAndBuckets(requests, request -> request.claim().key()), windowMillis);
    }

    private BulkStrings withCode(BulkStrings arguments, long windowMillis) {
        return packing.reads() ? arguments.add(packing.writes() ? WindowCode.of(windowMillis) : "") : arguments;
    }

    /** The owner of all requests, which those of one poll have; null if there are several. */
    private static <Q> @Nullable Owner commonOwner(List<Q> requests, Function<Q, Owner> ownerOf) {
        Owner common = ownerOf.apply(requests.get(0));
        for (Q request : requests) {
            Owner owner = ownerOf.apply(request);
            if (!owner.equals(common)) {
                return null;
            }
        }
        return common;
    }

    private ScriptCall<WriteResult[]> write(Script script, BulkStrings arguments, int size) {
        return new ScriptCall<>(script, arguments, () -> new WriteOutput(size, overgrown));
    }

    private BulkStrings start(DedupKey key) {
        return start.recordsAndBuckets(List.of(key), Function.identity());
    }

    private static String window(long windowMillis) {
        return windowMillis == FOREVER ? "" : Long.toString(windowMillis);
    }

    private static String letter(ReleaseMode mode) {
        return switch (mode) {
            case STARTED -> "S";
            case NOT_STARTED -> "N";
            case CONVICTED -> "C";
        };
    }
}

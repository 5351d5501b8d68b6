package io.dedup.internal.migration;

import io.dedup.DedupKey;
import io.dedup.DedupTopic;
import io.dedup.ResultCodec;
import io.dedup.adapter.Results;
import io.dedup.migration.ImportReport.Problem;
import io.dedup.migration.ImportedId;
import io.dedup.store.StoredResult;
import io.dedup.store.operator.ImportRequest;
import io.dedup.store.operator.ImportResult.Decision;
import io.dedup.text.Printable;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The requests for some IDs: one for each key, and the IDs that cannot be imported. Not thread-safe. */
final class ImportBatch {
    /** A time that is further ahead than clocks differ was read in the wrong unit or time zone. */
    private static final Duration MAX_AHEAD = Duration.ofDays(1);

    /** An imported result is encoded already. */
    private static final ResultCodec<byte[]> BYTES = ResultCodec.bytes();

    private final DedupTopic topic;
    private final int maxResultBytes;
    private final Results results;
    private final Instant latest = Instant.now().plus(MAX_AHEAD);
    private final Map<DedupKey, Entry> entries = new LinkedHashMap<>();
    private final List<Problem> refused = new ArrayList<>();
    private int withoutResult;
    private int read;

    private ImportBatch(DedupTopic topic, int maxResultBytes, Results results) {
        this.topic = topic;
        this.maxResultBytes = maxResultBytes;
        this.results = results;
    }

    /** @param before how many IDs of the stream come before these */
    static ImportBatch of(DedupTopic topic, int maxResultBytes, Results results, long before, List<ImportedId> ids) {
        ImportBatch batch = new ImportBatch(topic, maxResultBytes, results);
        for (ImportedId id : ids) {
            batch.read++;
            batch.add(before + batch.read, id);
        }
        return batch;
    }

    private void add(long position, ImportedId id) {
        String problem = problemWith(id);
        Instant completedAt = id.completedAt();
        if (problem != null || completedAt == null) {
            String text = id.messageId() == null ? "null" : Printable.of(id.messageId());
            refused.add(new Problem(position, text + ": " + problem));
            return;
        }
        DedupKey key = topic.scope().key(id.messageId());
        Entry entry = entries.get(key);
        ImportRequest request =
                new ImportRequest(key, completedAt, topic.policy().window(), result(key, id.result()));
        if (entry == null) {
            entries.put(key, new Entry(position, request));
        } else {
            entry.addCopy(request);
        }
    }

    private @Nullable String problemWith(ImportedId id) {
        String problem = DedupKey.problemWith(id.messageId());
        if (problem != null) {
            return "the ID is unusable, " + problem;
        }
        Instant completedAt = id.completedAt();
        if (completedAt == null) {
            return "the completion time is missing or unreadable";
        }
        if (completedAt.isBefore(Instant.EPOCH)) {
            return "the completion time " + completedAt + " is before 1970";
        }
        return completedAt.isAfter(latest)
                ? "the completion time " + completedAt + " is more than a day ahead: check its unit and time zone"
                : null;
    }

    private byte @Nullable [] result(DedupKey key, byte @Nullable [] result) {
        if (result == null) {
            return null;
        }
        byte[] kept = result.length > maxResultBytes ? null : results.encode(key, BYTES, maxResultBytes, result);
        if (kept == null) {
            withoutResult++;
            return null;
        }
        return StoredResult.encode(kept, null);
    }

    Collection<Entry> entries() {
        return entries.values();
    }

    List<Problem> refused() {
        return refused;
    }

    int withoutResult() {
        return withoutResult;
    }

    /** How many IDs it was made of. */
    int read() {
        return read;
    }

    /** A request, the copies that it stands for, and the store's decision. */
    static final class Entry {
        private final long position;
        private ImportRequest request;
        private int copies;
        private @Nullable Decision decision;

        private Entry(long position, ImportRequest request) {
            this.position = position;
            this.request = request;
        }

        /** The latest completion counts, as if the store were asked twice. */
        private void addCopy(ImportRequest copy) {
            copies++;
            boolean later = copy.completedAt().isAfter(request.completedAt());
            request = new ImportRequest(
                    request.key(),
                    later ? copy.completedAt() : request.completedAt(),
                    request.window(),
                    request.result() == null ? copy.result() : request.result());
        }

        void decide(Decision value) {
            decision = value;
        }

        boolean isDecided() {
            return decision != null;
        }

        long position() {
            return position;
        }

        ImportRequest request() {
            return request;
        }

        int copies() {
            return copies;
        }

        Decision decision() {
            if (decision == null) {
                throw new IllegalStateException("not decided: " + request.key());
            }
            return decision;
        }
    }
}

package io.dedup.internal.migration;

import io.dedup.DedupStoreException;
import io.dedup.DedupTopic;
import io.dedup.adapter.Results;
import io.dedup.migration.ImportReport;
import io.dedup.migration.ImportedId;
import io.dedup.policy.DedupMode;
import io.dedup.store.DedupStore;
import io.dedup.store.StoredResult;
import io.dedup.store.operator.ImportResult;
import io.dedup.store.operator.ImportResult.StoreError;
import io.dedup.store.operator.ImportingStore;
import io.dedup.store.transaction.TransactionalRecords;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Imports IDs batch by batch. A batch is counted once the store has decided about all of it. Not thread-safe. */
public final class DoneImport {
    /** As many as the stores send with one statement, unless they are configured otherwise. */
    static final int BATCH = 500;

    /** How often a request without an answer is sent. Repeating it is harmless. */
    private static final int ATTEMPTS = 3;

    private final DedupTopic topic;
    private final ImportingStore store;
    private final int maxResultBytes;
    private final Results results;
    private final ImportTally tally = new ImportTally();

    private DoneImport(DedupTopic topic, ImportingStore store, int maxResultBytes, Results results) {
        this.topic = topic;
        this.store = store;
        this.maxResultBytes = maxResultBytes;
        this.results = results;
    }

    /**
     * Creates an import to where the topic's mode keeps what is done. A front store learns it from the table with the
     * first duplicate.
     *
     * @param records null if no policy needs them
     * @param results encrypts results, if the deduplicator does
     */
    public static DoneImport of(
            DedupTopic topic, DedupStore store, @Nullable TransactionalRecords records, Results results) {
        DedupMode mode = topic.policy().mode();
        boolean inTable = mode == DedupMode.TRANSACTIONAL || mode == DedupMode.TIERED;
        ImportingStore target;
        int most;
        if (inTable && records != null) {
            target = ImportingStore.of(records, records.name());
            most = records.maxResultBytes();
        } else {
            target = ImportingStore.of(store, store.name());
            most = store.maxResultBytes();
        }
        return new DoneImport(
                topic, target, Math.min(topic.policy().maxResultBytes(), most - StoredResult.MAX_EXTRA_BYTES), results);
    }

    /** Imports all IDs. */
    public ImportReport run(Iterator<ImportedId> ids, Consumer<ImportReport> progress) {
        List<ImportedId> batch = new ArrayList<>(BATCH);
        while (ids.hasNext()) {
            batch.add(ids.next());
            if (batch.size() == BATCH || !ids.hasNext()) {
                tally.add(decided(ImportBatch.of(topic, maxResultBytes, results, tally.read(), batch)));
                progress.accept(tally.report());
                batch.clear();
            }
        }
        return tally.report();
    }

    private ImportBatch decided(ImportBatch batch) {
        List<ImportBatch.Entry> open = new ArrayList<>(batch.entries());
        DedupStoreException failure = null;
        for (int attempt = 0; attempt < ATTEMPTS && !open.isEmpty(); attempt++) {
            failure = ask(open);
            open.removeIf(ImportBatch.Entry::isDecided);
        }
        if (failure != null) {
            throw new DedupStoreException(
                    "The import stopped after " + tally.read()
                            + " IDs. They stay imported: repeat the import, or continue behind them. "
                            + failure.getMessage(),
                    failure);
        }
        return batch;
    }

    /** Asks the store. Returns the failure of what it has not decided about; null if it has decided about everything. */
    private @Nullable DedupStoreException ask(List<ImportBatch.Entry> open) {
        List<ImportResult> answers;
        try {
            answers = store.importDone(
                    open.stream().map(ImportBatch.Entry::request).toList());
        } catch (DedupStoreException e) {
            return e;
        }
        DedupStoreException failure = null;
        for (int i = 0; i < open.size(); i++) {
            if (answers.get(i) instanceof ImportResult.Decision decision) {
                open.get(i).decide(decision);
            } else if (answers.get(i) instanceof StoreError error) {
                failure = error.cause();
            }
        }
        return failure;
    }
}

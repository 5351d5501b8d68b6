package io.dedup.internal.settings;

import io.dedup.DedupKey;
import io.dedup.DedupScope;
import io.dedup.DedupStoreException;
import io.dedup.Fingerprint;
import io.dedup.policy.Window;
import io.dedup.privacy.IdHashing;
import io.dedup.privacy.OtherHashKeyException;
import io.dedup.store.Claim;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.CompleteRequest;
import io.dedup.store.DedupStore;
import io.dedup.store.Owner;
import io.dedup.store.WriteResult;
import io.dedup.store.transaction.CommitResult;
import io.dedup.store.transaction.RecordRequest;
import io.dedup.store.transaction.RecordResult;
import io.dedup.store.transaction.RecordTransaction;
import io.dedup.store.transaction.TransactionalRecords;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Ensures that all deduplicators of a consumer hash IDs with the same key: under another key, every message would look
 * new and be handled again. The store keeps a record for ever whose fingerprint shows which key it is.
 *
 * @param records keep records in transactions; null for none. Their table is checked, too: a front store may lose its record
 */
public record HashingGuard(DedupStore store, @Nullable TransactionalRecords records) {
    /** Also the record's ID. No broker permits this name, and nobody erases such an ID. */
    private static final String TOPIC = "dedup!id-hashing";

    private static final Duration LIMIT = Duration.ofSeconds(10);

    /** @throws OtherHashKeyException if the consumer's IDs are hashed with another key */
    public void check(String consumer, IdHashing hashing) {
        DedupKey key = DedupScope.of(consumer, TOPIC).key(TOPIC);
        Fingerprint fingerprint = new Fingerprint(hashing.keyCheck());
        if (isOther(store, key, fingerprint)
                || (records != null && !records.holdsClaimsOf(store) && isOther(records, key, fingerprint))) {
            throw new OtherHashKeyException(consumer);
        }
    }

    private static boolean isOther(DedupStore store, DedupKey key, Fingerprint fingerprint) {
        Owner owner = new Owner(UUID.randomUUID().toString());
        ClaimResult answer = store.claim(List.of(new ClaimRequest(key, owner, LIMIT, fingerprint, true)))
                .get(0);
        if (answer instanceof ClaimResult.StoreError error) {
            throw error.cause();
        }
        if (answer instanceof ClaimResult.Acquired acquired) {
            WriteResult written = store.complete(List.of(new CompleteRequest(
                            new Claim(key, owner, acquired.attempt()), Window.forever(), null, false)))
                    .get(0);
            if (written instanceof WriteResult.StoreError error) {
                throw error.cause();
            }
        }
        return answer instanceof ClaimResult.Conflict; // in flight is another process with the same key
    }

    private static boolean isOther(TransactionalRecords records, DedupKey key, Fingerprint fingerprint) {
        RecordTransaction transaction = records.begin(LIMIT);
        RecordResult answer;
        try {
            answer = transaction
                    .claimAll(List.of(new RecordRequest(key, Window.forever(), fingerprint)))
                    .get(0);
        } catch (RuntimeException | Error e) {
            transaction.rollback();
            throw e;
        }
        if (!(answer instanceof RecordResult.Written)) {
            transaction.rollback();
        } else if (!(transaction.commit() instanceof CommitResult.Committed)) {
            throw new DedupStoreException(
                    "The database did not confirm the record of the key of idHashing. Start again", null);
        }
        return answer instanceof RecordResult.Conflict;
    }
}

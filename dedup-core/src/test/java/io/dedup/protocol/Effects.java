package io.dedup.protocol;

import io.dedup.DedupKey;
import io.dedup.store.Claim;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** What handlers have done to the world outside, and why they may have done it twice. */
final class Effects {
    private final Map<DedupKey, Integer> counts = new HashMap<>();
    private final Map<DedupKey, Integer> highestAttempt = new HashMap<>();
    private final Set<DedupKey> excused = new HashSet<>();
    private final Set<DedupKey> ever = new HashSet<>();
    private final Book book;

    Effects(Book book) {
        this.book = book;
    }

    /** By a run with a claim, which may be lost by now: then its successor may do it once more. */
    void happen(Claim claim) {
        excuseUnlessHeld(claim);
        happen(claim.key(), claim.attempt());
    }

    void happen(DedupKey key, int attempt) {
        ever.add(key);
        int count = counts.merge(key, 1, Integer::sum);
        int highest = highestAttempt.merge(key, attempt, Math::max);
        if (count > 1) {
            if (!excused.contains(key)) {
                book.violated("took effect twice, and nothing had gone wrong: " + key.messageId());
            }
            if (highest < 2) {
                book.violated("took effect twice, and attempt() told nobody: " + key.messageId());
            }
        }
    }

    /** A step's function, by a run that may have lost its claim. */
    void happenAsStep(Claim claim) {
        book.stepRuns(claim);
        happen(claim.key(), claim.attempt());
    }

    /** From here on the documented window is open: the next copy may run again. */
    void excuse(DedupKey key) {
        excused.add(key);
    }

    void excuseUnlessHeld(Claim claim) {
        if (!book.isHeld(claim)) {
            excuse(claim.key());
        }
    }

    boolean happened(DedupKey key) {
        return ever.contains(key);
    }

    /** Deduplication windows are over: what comes now is new. */
    void windowsOver() {
        counts.clear();
        highestAttempt.clear();
        excused.clear();
    }
}

package io.dedup.store.jdbc.internal.dialect;

import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Claims about which a cheap first statement has left it to the full one to decide. */
public final class OpenClaims {
    private OpenClaims() {}

    /** The full statement. */
    @FunctionalInterface
    public interface FullClaim {
        /** Claims; null for each request to be asked for again. */
        List<@Nullable ClaimResult> claim(List<ClaimRequest> open) throws SQLException;
    }

    /**
     * Completes the answers of the first statement.
     *
     * @param answers of the first statement; null for each open request
     * @return answers; null for each request to be asked for again. If the full statement fails after the first one has decided
     *     about some, what was decided stays: a claim that is asked for twice counts as that of a dead run if its lease has ended
     *     meanwhile.
     */
    public static List<@Nullable ClaimResult> settle(
            List<ClaimRequest> requests, List<@Nullable ClaimResult> answers, FullClaim full) throws SQLException {
        List<ClaimRequest> open = new ArrayList<>();
        for (int i = 0; i < requests.size(); i++) {
            if (answers.get(i) == null) {
                open.add(requests.get(i));
            }
        }
        if (open.isEmpty()) {
            return answers;
        }
        if (open.size() == requests.size()) {
            return full.claim(open);
        }
        Iterator<@Nullable ClaimResult> rest;
        try {
            rest = full.claim(open).iterator();
        } catch (SQLException e) {
            return answers; // the caller asks for the rest alone, and meets the failure there
        }
        List<@Nullable ClaimResult> all = new ArrayList<>(requests.size());
        for (ClaimResult answer : answers) {
            all.add(answer == null ? rest.next() : answer);
        }
        return all;
    }
}

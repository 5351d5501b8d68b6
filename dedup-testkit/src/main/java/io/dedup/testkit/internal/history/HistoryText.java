package io.dedup.testkit.internal.history;

import io.dedup.store.Claim;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.CompleteRequest;
import io.dedup.store.ReleaseRequest;
import io.dedup.store.RenewRequest;
import io.dedup.store.StepRequest;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Formats requests and answers for the log of a history. */
final class HistoryText {
    private HistoryText() {}

    static String of(List<?> values) {
        return values.stream()
                .map(HistoryText::of)
                .filter(word -> !word.isEmpty())
                .collect(Collectors.joining("; "));
    }

    private static String of(Object value) {
        if (value instanceof ClaimRequest claim) {
            return claim.key().messageId() + " by " + claim.owner().value() + " lease " + claim.lease()
                    + (claim.fingerprint() == null
                            ? ""
                            : " " + claim.fingerprint().value())
                    + (claim.fenced() ? "" : " unfenced");
        }
        if (value instanceof CompleteRequest complete) {
            return of(complete.claim()) + " window " + complete.window() + result(complete.result())
                    + (complete.repeated() ? " repeated" : "");
        }
        if (value instanceof ReleaseRequest release) {
            return of(release.claim()) + " " + release.mode();
        }
        if (value instanceof RenewRequest renew) {
            return of(renew.claim()) + " lease " + renew.lease();
        }
        if (value instanceof StepRequest step) {
            return of(step.claim()) + " keeps 0x" + HexFormat.of().formatHex(step.entry());
        }
        if (value instanceof ClaimResult.Acquired got) {
            return "Acquired " + got.attempt() + " deaths " + got.deaths() + (got.tookOver() ? " took over" : "")
                    + " token " + got.fencingToken()
                    + (got.steps() == null ? "" : " steps 0x" + HexFormat.of().formatHex(got.steps()));
        }
        if (value instanceof ClaimResult.AlreadyDone done) {
            return "AlreadyDone " + done.attempt() + result(done.result());
        }
        return value.toString();
    }

    private static String of(Claim claim) {
        return claim.key().messageId() + " by " + claim.owner().value() + " attempt " + claim.attempt();
    }

    private static String result(byte @Nullable [] result) {
        return result == null ? "" : " result 0x" + HexFormat.of().formatHex(result);
    }
}

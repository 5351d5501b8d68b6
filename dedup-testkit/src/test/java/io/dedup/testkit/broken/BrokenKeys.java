package io.dedup.testkit.broken;

import io.dedup.DedupKey;
import io.dedup.DedupScope;
import io.dedup.LiveLease;
import io.dedup.OperatorResult;
import io.dedup.policy.Window;
import io.dedup.store.Claim;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.CompleteRequest;
import io.dedup.store.ReleaseRequest;
import io.dedup.store.RenewRequest;
import io.dedup.store.StoredRecord;
import io.dedup.store.WriteResult;
import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** IDs that are taken for each other. */
final class BrokenKeys {
    private static final DedupScope ONE = DedupScope.of("one", "scope");

    private BrokenKeys() {}

    static List<BrokenStore> all() {
        return List.of(
                ids("IDs are compared without case", id -> id.toLowerCase(Locale.ROOT)),
                ids("trailing spaces don't count", String::stripTrailing),
                ids("one trailing space doesn't count", id -> id.endsWith(" ") ? id.substring(0, id.length() - 1) : id),
                ids("IDs end at U+0000", id -> id.indexOf(0) > 0 ? id.substring(0, id.indexOf(0)) : id),
                ids("U+0000 is dropped", id -> orDot(id.replace("\u0000", ""))),
                ids("IDs are composed", id -> Normalizer.normalize(id, Normalizer.Form.NFC)),
                ids("compatible characters are folded", id -> Normalizer.normalize(id, Normalizer.Form.NFKC)),
                ids(
                        "IDs are ASCII",
                        id -> new String(id.getBytes(StandardCharsets.US_ASCII), StandardCharsets.US_ASCII)),
                ids(
                        "IDs are Latin 1",
                        id -> new String(id.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.ISO_8859_1)),
                ids(
                        "characters beyond the basic plane are lost",
                        id -> orDot(id.codePoints()
                                .map(c -> c > 0xffff ? '?' : c)
                                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                                .toString())),
                ids(
                        "invisible characters don't count",
                        id -> orDot(id.replaceAll("[\\u00ad\\u200b\\u200d\\ufeff]", ""))),
                ids(
                        "only the hash tag counts",
                        id -> id.matches("(?s)[^{]*\\{[^}]+}.*")
                                ? id.substring(id.indexOf('{') + 1, id.indexOf('}', id.indexOf('{')))
                                : id),
                ids("IDs are cut after 250 characters", id -> id.length() > 250 ? id.substring(0, 250) : id),
                ids("numbers are numbers", id -> id.matches("-?\\d{1,20}") ? "" + Double.parseDouble(id) : id),
                ids("backslashes escape", id -> orDot(id.replace("\\\\", "\\"))),
                ids("quotes are doubled once too often", id -> id.replace("''", "'")),
                ids("percent signs are decoded", id -> id.replace("%20", " ")),
                ids("line ends are all alike", id -> id.replace("\r\n", "\n")),
                keys("the scope doesn't count", key -> new DedupKey(ONE, key.messageId())),
                keys(
                        "scopes are compared without case",
                        key -> new DedupKey(
                                DedupScope.of("x", key.scope().text().toLowerCase(Locale.ROOT)), key.messageId())),
                keys(
                        "shadows are real",
                        key -> new DedupKey(
                                DedupScope.of(
                                        key.scope().consumer().replace("shadow!", ""),
                                        key.scope().topic()),
                                key.messageId())),
                keys(
                        "the topic alone is the scope",
                        key -> new DedupKey(DedupScope.of("any", key.scope().topic()), key.messageId())),
                joined(":"),
                joined("/"),
                joined("|"),
                joined("\u0000"),
                joined(""));
    }

    private static BrokenStore ids(String name, UnaryOperator<String> change) {
        return keys(name, key -> new DedupKey(key.scope(), change.apply(key.messageId())));
    }

    private static BrokenStore joined(String separator) {
        return keys(
                "scope and ID are joined by '" + separator.replace('\u0000', '0') + "'",
                key -> DedupKey.of(ONE, key.scope().text() + separator + key.messageId()));
    }

    private static String orDot(String id) {
        return id.isBlank() ? "." : id;
    }

    private static BrokenStore keys(String name, UnaryOperator<DedupKey> change) {
        return new BrokenStore("hostile-ids", name, s -> new ForwardingStore(s) {
            private Claim with(Claim claim) {
                return new Claim(change.apply(claim.key()), claim.owner(), claim.attempt());
            }

            @Override
            ClaimResult claim(ClaimRequest request) {
                return super.claim(new ClaimRequest(
                        change.apply(request.key()),
                        request.owner(),
                        request.lease(),
                        request.fingerprint(),
                        request.fenced()));
            }

            @Override
            WriteResult complete(CompleteRequest request) {
                return super.complete(new CompleteRequest(
                        with(request.claim()), request.window(), request.result(), request.repeated()));
            }

            @Override
            WriteResult release(ReleaseRequest request) {
                return super.release(new ReleaseRequest(with(request.claim()), request.mode()));
            }

            @Override
            WriteResult renew(RenewRequest request) {
                return super.renew(new RenewRequest(with(request.claim()), request.lease()));
            }

            @Override
            public Optional<StoredRecord> find(DedupKey key) {
                return super.find(change.apply(key));
            }

            @Override
            public OperatorResult forget(DedupKey key, LiveLease liveLease) {
                return super.forget(change.apply(key), liveLease);
            }

            @Override
            public OperatorResult forceDone(DedupKey key, Window window, LiveLease liveLease) {
                return super.forceDone(change.apply(key), window, liveLease);
            }
        });
    }
}

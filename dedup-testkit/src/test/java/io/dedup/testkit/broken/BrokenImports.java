package io.dedup.testkit.broken;

import io.dedup.LiveLease;
import io.dedup.OperatorResult;
import io.dedup.policy.Window;
import io.dedup.store.DedupStore;
import io.dedup.store.operator.ImportRequest;
import io.dedup.store.operator.ImportResult;
import io.dedup.store.operator.ImportResult.Decision;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;

/** Imports of what was handled elsewhere. */
final class BrokenImports {
    private BrokenImports() {}

    static List<BrokenStore> all() {
        return List.of(
                each("a live lease is taken", (s, request) -> {
                    OperatorResult unused = s.store.forget(request.key(), LiveLease.OVERRIDE);
                    return s.importOne(request);
                }),
                each("what has failed stays as it is", (s, request) -> {
                    boolean open = s.find(request.key())
                            .filter(record -> record.completedAt() == null)
                            .isPresent();
                    return open ? Decision.HELD : s.importOne(request);
                }),
                each("what is done stays as it is", (s, request) -> {
                    boolean done = s.find(request.key())
                            .filter(record -> record.completedAt() != null)
                            .isPresent();
                    return done ? Decision.KNOWN : s.importOne(request);
                }),
                each("the last import wins", (s, request) -> {
                    boolean done = s.find(request.key())
                            .filter(record -> record.completedAt() != null)
                            .isPresent();
                    if (done) {
                        OperatorResult unused = s.store.forget(request.key(), LiveLease.RESPECT);
                    }
                    return s.importOne(request);
                }),
                each(
                        "the window counts from the import",
                        (s, request) -> s.forceDone(request.key(), request.window(), LiveLease.RESPECT)
                                        == OperatorResult.APPLIED
                                ? Decision.IMPORTED
                                : Decision.HELD),
                requests(
                        "it is for ever",
                        request -> new ImportRequest(
                                request.key(), request.completedAt(), Window.forever(), request.result())),
                requests(
                        "results are dropped",
                        request -> new ImportRequest(request.key(), request.completedAt(), request.window(), null)),
                answers("what is known counts as imported", answers -> {
                    answers.replaceAll(answer -> answer == Decision.KNOWN ? Decision.IMPORTED : answer);
                    return answers;
                }),
                answers("what is over counts as imported", answers -> {
                    answers.replaceAll(answer -> answer == Decision.OVER ? Decision.IMPORTED : answer);
                    return answers;
                }),
                answers("the answers are in another order", answers -> {
                    Collections.reverse(answers);
                    return answers;
                }),
                new BrokenStore("imports", "it cannot import", s -> new ForwardingStore(s) {
                    @Override
                    public List<ImportResult> importDone(List<ImportRequest> requests) {
                        throw new UnsupportedOperationException();
                    }
                }));
    }

    private static BrokenStore each(String name, BiFunction<ForwardingStore, ImportRequest, ImportResult> decide) {
        return new BrokenStore("imports", name, s -> new ForwardingStore(s) {
            @Override
            public List<ImportResult> importDone(List<ImportRequest> requests) {
                return each(requests, request -> decide.apply(this, request));
            }
        });
    }

    private static BrokenStore requests(String name, UnaryOperator<ImportRequest> change) {
        return each(name, (s, request) -> s.importOne(change.apply(request)));
    }

    private static BrokenStore answers(String name, UnaryOperator<List<ImportResult>> change) {
        return new BrokenStore("imports", name, s -> answering(s, change));
    }

    private static DedupStore answering(DedupStore s, UnaryOperator<List<ImportResult>> change) {
        return new ForwardingStore(s) {
            @Override
            public List<ImportResult> importDone(List<ImportRequest> requests) {
                return change.apply(new ArrayList<>(super.importDone(requests)));
            }
        };
    }
}

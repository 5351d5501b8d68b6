package io.dedup.doubles;

import io.dedup.internal.storecall.SharedCalls;
import io.dedup.internal.storecall.SharedCalls.Limits;
import io.dedup.store.ClaimRequest;
import io.dedup.store.CompleteRequest;
import io.dedup.store.DedupStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;

/** A store whose claims and completions go through shared calls, as those of an engine do, as soon as two threads call at once. */
public final class SharingStore {
    private SharingStore() {}

    /** With the capabilities of the store behind. */
    @SuppressWarnings("unchecked") // the interface's own types
    public static DedupStore of(DedupStore real) {
        SharedCalls shared = new SharedCalls(real::claim, real::complete, new Limits(1, 1, Duration.ofSeconds(10)));
        return (DedupStore) Proxy.newProxyInstance(
                SharingStore.class.getClassLoader(), real.getClass().getInterfaces(), (self, method, arguments) -> {
                    switch (method.getName()) {
                        case "claim" -> {
                            return shared.claim((List<ClaimRequest>) arguments[0]);
                        }
                        case "complete" -> {
                            return shared.complete((List<CompleteRequest>) arguments[0]);
                        }
                        default -> {
                            try {
                                return method.invoke(real, arguments);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        }
                    }
                });
    }
}
